// Generated from the schemas of the route tables and the stream messages by `npm run generate`. Do not edit.
// biome-ignore-all lint: generated
// @ts-nocheck
import type { MessageName } from "../messages.ts";
import type { PlatformRouteName } from "../platform-routes.ts";
import type { RouteName } from "../routes.ts";
import type { SchemaViolation } from "../schema-issue.ts";
import { codePointLength } from "../code-point-length.ts";
import { FORMATS } from "../formats.ts";

const FORMAT_TESTS = Object.fromEntries(Object.entries(FORMATS).map(([name, format]) => [name, format.test]));

export const validate_api_token_create = validate21;
const schema6 = {"type":"object","required":["access","description"],"properties":{"access":{"enum":["read","write"]},"description":{"type":"string","maxLength":1024,"format":"storable"},"expires_at":{"type":"string","format":"timestamp"}},"additionalProperties":false};
const formats0 = FORMAT_TESTS.storable;
const formats2 = FORMAT_TESTS.timestamp;
const func2 = codePointLength;

function validate21(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.access === undefined) && (missing0 = "access")) || ((data.description === undefined) && (missing0 = "description"))){
validate21.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((key0 === "access") || (key0 === "description")) || (key0 === "expires_at"))){
validate21.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.access !== undefined){
let data0 = data.access;
const _errs2 = errors;
if(!((data0 === "read") || (data0 === "write"))){
validate21.errors = [{instancePath:instancePath+"/access",schemaPath:"#/properties/access/enum",keyword:"enum",params:{allowedValues: schema6.properties.access.enum}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.description !== undefined){
let data1 = data.description;
const _errs3 = errors;
if(errors === _errs3){
if(errors === _errs3){
if(typeof data1 === "string"){
if(func2(data1) > 1024){
validate21.errors = [{instancePath:instancePath+"/description",schemaPath:"#/properties/description/maxLength",keyword:"maxLength",params:{limit: 1024}}];
return false;
}
else {
if(!(formats0(data1))){
validate21.errors = [{instancePath:instancePath+"/description",schemaPath:"#/properties/description/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
}
else {
validate21.errors = [{instancePath:instancePath+"/description",schemaPath:"#/properties/description/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.expires_at !== undefined){
let data2 = data.expires_at;
const _errs5 = errors;
if(errors === _errs5){
if(errors === _errs5){
if(typeof data2 === "string"){
if(!(formats2(data2))){
validate21.errors = [{instancePath:instancePath+"/expires_at",schemaPath:"#/properties/expires_at/format",keyword:"format",params:{format: "timestamp"}}];
return false;
}
}
else {
validate21.errors = [{instancePath:instancePath+"/expires_at",schemaPath:"#/properties/expires_at/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
else {
validate21.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate21.errors = vErrors;
return errors === 0;
}

export const validate_api_token_list = validate22;
const schema7 = {"type":"object","properties":{"pagination":{"$ref":"shared_1"}},"additionalProperties":false};
const schema8 = {"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":1000},"cursor":{"type":["string","null"],"maxLength":1024},"skip":{"type":"integer","minimum":0,"maximum":100000}},"additionalProperties":false};

function validate23(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!(((key0 === "limit") || (key0 === "cursor")) || (key0 === "skip"))){
validate23.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.limit !== undefined){
let data0 = data.limit;
const _errs2 = errors;
if(!(((typeof data0 == "number") && (!(data0 % 1) && !isNaN(data0))) && (isFinite(data0)))){
validate23.errors = [{instancePath:instancePath+"/limit",schemaPath:"#/properties/limit/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs2){
if((typeof data0 == "number") && (isFinite(data0))){
if(data0 > 1000 || isNaN(data0)){
validate23.errors = [{instancePath:instancePath+"/limit",schemaPath:"#/properties/limit/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1000}}];
return false;
}
else {
if(data0 < 1 || isNaN(data0)){
validate23.errors = [{instancePath:instancePath+"/limit",schemaPath:"#/properties/limit/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1}}];
return false;
}
}
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.cursor !== undefined){
let data1 = data.cursor;
const _errs4 = errors;
if((typeof data1 !== "string") && (data1 !== null)){
validate23.errors = [{instancePath:instancePath+"/cursor",schemaPath:"#/properties/cursor/type",keyword:"type",params:{type: schema8.properties.cursor.type}}];
return false;
}
if(errors === _errs4){
if(typeof data1 === "string"){
if(func2(data1) > 1024){
validate23.errors = [{instancePath:instancePath+"/cursor",schemaPath:"#/properties/cursor/maxLength",keyword:"maxLength",params:{limit: 1024}}];
return false;
}
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.skip !== undefined){
let data2 = data.skip;
const _errs6 = errors;
if(!(((typeof data2 == "number") && (!(data2 % 1) && !isNaN(data2))) && (isFinite(data2)))){
validate23.errors = [{instancePath:instancePath+"/skip",schemaPath:"#/properties/skip/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs6){
if((typeof data2 == "number") && (isFinite(data2))){
if(data2 > 100000 || isNaN(data2)){
validate23.errors = [{instancePath:instancePath+"/skip",schemaPath:"#/properties/skip/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100000}}];
return false;
}
else {
if(data2 < 0 || isNaN(data2)){
validate23.errors = [{instancePath:instancePath+"/skip",schemaPath:"#/properties/skip/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}}];
return false;
}
}
}
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate23.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate23.errors = vErrors;
return errors === 0;
}


function validate22(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "pagination")){
validate22.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.pagination !== undefined){
if(!(validate23(data.pagination, {instancePath:instancePath+"/pagination",parentData:data,parentDataProperty:"pagination",rootData}))){
vErrors = vErrors === null ? validate23.errors : vErrors.concat(validate23.errors);
errors = vErrors.length;
}
}
}
}
else {
validate22.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate22.errors = vErrors;
return errors === 0;
}

export const validate_api_token_revoke = validate25;
const schema9 = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};

function validate25(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.id === undefined) && (missing0 = "id")){
validate25.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "id")){
validate25.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
if(typeof data.id !== "string"){
validate25.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
}
}
else {
validate25.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate25.errors = vErrors;
return errors === 0;
}

export const validate_member_base_create = validate26;
const schema10 = {"type":"object","required":["name"],"properties":{"name":{"type":"string","minLength":1,"maxLength":256,"format":"printable"}},"additionalProperties":false};
const formats4 = FORMAT_TESTS.printable;

function validate26(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.name === undefined) && (missing0 = "name")){
validate26.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "name")){
validate26.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.name !== undefined){
let data0 = data.name;
const _errs2 = errors;
if(errors === _errs2){
if(errors === _errs2){
if(typeof data0 === "string"){
if(func2(data0) > 256){
validate26.errors = [{instancePath:instancePath+"/name",schemaPath:"#/properties/name/maxLength",keyword:"maxLength",params:{limit: 256}}];
return false;
}
else {
if(func2(data0) < 1){
validate26.errors = [{instancePath:instancePath+"/name",schemaPath:"#/properties/name/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats4(data0))){
validate26.errors = [{instancePath:instancePath+"/name",schemaPath:"#/properties/name/format",keyword:"format",params:{format: "printable"}}];
return false;
}
}
}
}
else {
validate26.errors = [{instancePath:instancePath+"/name",schemaPath:"#/properties/name/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
}
}
}
}
else {
validate26.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate26.errors = vErrors;
return errors === 0;
}

export const validate_member_base_get = validate27;
const schema11 = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};

function validate27(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.id === undefined) && (missing0 = "id")){
validate27.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "id")){
validate27.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
if(typeof data.id !== "string"){
validate27.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
}
}
else {
validate27.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate27.errors = vErrors;
return errors === 0;
}

export const validate_member_base_list = validate28;
const schema12 = {"type":"object","properties":{"pagination":{"$ref":"shared_1"},"filters":{"type":"array","maxItems":100,"items":{"$ref":"#/$defs/filter_1"}}},"additionalProperties":false,"$defs":{"filter_1":{"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["name"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_2"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_2"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]},"filter_2":{"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["name"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_3"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_3"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]},"filter_3":{"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["name"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_4"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_4"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]},"filter_4":{"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["name"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_5"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_5"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]},"filter_5":{"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["name"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_6"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_6"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]},"filter_6":{"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\": combinators nest at most 5 deep","additionalProperties":false,"properties":{"key":{"type":"string","enum":["name"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2}]}}};
const schema13 = {"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["name"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_2"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_2"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]};
const schema14 = {"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["name"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_3"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_3"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]};
const schema15 = {"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["name"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_4"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_4"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]};
const schema16 = {"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["name"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_5"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_5"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]};
const schema17 = {"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["name"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_6"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_6"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]};
const schema18 = {"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\": combinators nest at most 5 deep","additionalProperties":false,"properties":{"key":{"type":"string","enum":["name"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2}]};

function validate35(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
const _errs2 = errors;
let valid0 = false;
let passing0 = null;
const _errs3 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 2){
const err0 = {instancePath,schemaPath:"#/oneOf/0/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
else {
let missing0;
if(((data.key === undefined) && (missing0 = "key")) || ((data.eq === undefined) && (missing0 = "eq"))){
const err1 = {instancePath,schemaPath:"#/oneOf/0/required",keyword:"required",params:{missingProperty: missing0}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
}
var _valid0 = _errs3 === errors;
if(_valid0){
valid0 = true;
passing0 = 0;
}
const _errs4 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 2){
const err2 = {instancePath,schemaPath:"#/oneOf/1/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
else {
let missing1;
if(((data.key === undefined) && (missing1 = "key")) || ((data.in === undefined) && (missing1 = "in"))){
const err3 = {instancePath,schemaPath:"#/oneOf/1/required",keyword:"required",params:{missingProperty: missing1}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
}
var _valid0 = _errs4 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 1];
}
else {
if(_valid0){
valid0 = true;
passing0 = 1;
}
const _errs5 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 2){
const err4 = {instancePath,schemaPath:"#/oneOf/2/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
else {
let missing2;
if(((data.key === undefined) && (missing2 = "key")) || ((data.nin === undefined) && (missing2 = "nin"))){
const err5 = {instancePath,schemaPath:"#/oneOf/2/required",keyword:"required",params:{missingProperty: missing2}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
}
var _valid0 = _errs5 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 2];
}
else {
if(_valid0){
valid0 = true;
passing0 = 2;
}
}
}
if(!valid0){
const err6 = {instancePath,schemaPath:"#/oneOf",keyword:"oneOf",params:{passingSchemas: passing0, comment: "must be a \"key\" with one of \"eq\", \"in\" and \"nin\": combinators nest at most 5 deep"}};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
validate35.errors = vErrors;
return false;
}
else {
errors = _errs2;
if(vErrors !== null){
if(_errs2){
vErrors.length = _errs2;
}
else {
vErrors = null;
}
}
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs6 = errors;
for(const key0 in data){
if(!((((key0 === "key") || (key0 === "eq")) || (key0 === "in")) || (key0 === "nin"))){
validate35.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs6 === errors){
if(data.key !== undefined){
let data0 = data.key;
const _errs7 = errors;
if(typeof data0 !== "string"){
validate35.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!(data0 === "name")){
validate35.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/enum",keyword:"enum",params:{allowedValues: schema18.properties.key.enum}}];
return false;
}
var valid1 = _errs7 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.eq !== undefined){
let data1 = data.eq;
const _errs9 = errors;
if(errors === _errs9){
if(errors === _errs9){
if(typeof data1 === "string"){
if(!(formats0(data1))){
validate35.errors = [{instancePath:instancePath+"/eq",schemaPath:"#/properties/eq/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate35.errors = [{instancePath:instancePath+"/eq",schemaPath:"#/properties/eq/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid1 = _errs9 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.in !== undefined){
let data2 = data.in;
const _errs11 = errors;
if(errors === _errs11){
if(Array.isArray(data2)){
if(data2.length > 1000){
validate35.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data2.length < 1){
validate35.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid2 = true;
const len0 = data2.length;
for(let i0=0; i0<len0; i0++){
let data3 = data2[i0];
const _errs13 = errors;
if(errors === _errs13){
if(errors === _errs13){
if(typeof data3 === "string"){
if(!(formats0(data3))){
validate35.errors = [{instancePath:instancePath+"/in/" + i0,schemaPath:"#/properties/in/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate35.errors = [{instancePath:instancePath+"/in/" + i0,schemaPath:"#/properties/in/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid2 = _errs13 === errors;
if(!valid2){
break;
}
}
}
}
}
else {
validate35.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs11 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.nin !== undefined){
let data4 = data.nin;
const _errs15 = errors;
if(errors === _errs15){
if(Array.isArray(data4)){
if(data4.length > 1000){
validate35.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data4.length < 1){
validate35.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid3 = true;
const len1 = data4.length;
for(let i1=0; i1<len1; i1++){
let data5 = data4[i1];
const _errs17 = errors;
if(errors === _errs17){
if(errors === _errs17){
if(typeof data5 === "string"){
if(!(formats0(data5))){
validate35.errors = [{instancePath:instancePath+"/nin/" + i1,schemaPath:"#/properties/nin/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate35.errors = [{instancePath:instancePath+"/nin/" + i1,schemaPath:"#/properties/nin/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid3 = _errs17 === errors;
if(!valid3){
break;
}
}
}
}
}
else {
validate35.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs15 === errors;
}
else {
var valid1 = true;
}
}
}
}
}
}
else {
validate35.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate35.errors = vErrors;
return errors === 0;
}


function validate34(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
const _errs2 = errors;
let valid0 = false;
let passing0 = null;
const _errs3 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 2){
const err0 = {instancePath,schemaPath:"#/oneOf/0/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
else {
let missing0;
if(((data.key === undefined) && (missing0 = "key")) || ((data.eq === undefined) && (missing0 = "eq"))){
const err1 = {instancePath,schemaPath:"#/oneOf/0/required",keyword:"required",params:{missingProperty: missing0}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
}
var _valid0 = _errs3 === errors;
if(_valid0){
valid0 = true;
passing0 = 0;
}
const _errs4 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 2){
const err2 = {instancePath,schemaPath:"#/oneOf/1/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
else {
let missing1;
if(((data.key === undefined) && (missing1 = "key")) || ((data.in === undefined) && (missing1 = "in"))){
const err3 = {instancePath,schemaPath:"#/oneOf/1/required",keyword:"required",params:{missingProperty: missing1}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
}
var _valid0 = _errs4 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 1];
}
else {
if(_valid0){
valid0 = true;
passing0 = 1;
}
const _errs5 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 2){
const err4 = {instancePath,schemaPath:"#/oneOf/2/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
else {
let missing2;
if(((data.key === undefined) && (missing2 = "key")) || ((data.nin === undefined) && (missing2 = "nin"))){
const err5 = {instancePath,schemaPath:"#/oneOf/2/required",keyword:"required",params:{missingProperty: missing2}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
}
var _valid0 = _errs5 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 2];
}
else {
if(_valid0){
valid0 = true;
passing0 = 2;
}
const _errs6 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 1){
const err6 = {instancePath,schemaPath:"#/oneOf/3/maxProperties",keyword:"maxProperties",params:{limit: 1}};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
else {
let missing3;
if((data.or === undefined) && (missing3 = "or")){
const err7 = {instancePath,schemaPath:"#/oneOf/3/required",keyword:"required",params:{missingProperty: missing3}};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
}
}
var _valid0 = _errs6 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 3];
}
else {
if(_valid0){
valid0 = true;
passing0 = 3;
}
const _errs7 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 1){
const err8 = {instancePath,schemaPath:"#/oneOf/4/maxProperties",keyword:"maxProperties",params:{limit: 1}};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
else {
let missing4;
if((data.and === undefined) && (missing4 = "and")){
const err9 = {instancePath,schemaPath:"#/oneOf/4/required",keyword:"required",params:{missingProperty: missing4}};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
}
}
var _valid0 = _errs7 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 4];
}
else {
if(_valid0){
valid0 = true;
passing0 = 4;
}
}
}
}
}
if(!valid0){
const err10 = {instancePath,schemaPath:"#/oneOf",keyword:"oneOf",params:{passingSchemas: passing0, comment: "must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}"}};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
validate34.errors = vErrors;
return false;
}
else {
errors = _errs2;
if(vErrors !== null){
if(_errs2){
vErrors.length = _errs2;
}
else {
vErrors = null;
}
}
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs8 = errors;
for(const key0 in data){
if(!((((((key0 === "key") || (key0 === "eq")) || (key0 === "in")) || (key0 === "nin")) || (key0 === "or")) || (key0 === "and"))){
validate34.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs8 === errors){
if(data.key !== undefined){
let data0 = data.key;
const _errs9 = errors;
if(typeof data0 !== "string"){
validate34.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!(data0 === "name")){
validate34.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/enum",keyword:"enum",params:{allowedValues: schema17.properties.key.enum}}];
return false;
}
var valid1 = _errs9 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.eq !== undefined){
let data1 = data.eq;
const _errs11 = errors;
if(errors === _errs11){
if(errors === _errs11){
if(typeof data1 === "string"){
if(!(formats0(data1))){
validate34.errors = [{instancePath:instancePath+"/eq",schemaPath:"#/properties/eq/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate34.errors = [{instancePath:instancePath+"/eq",schemaPath:"#/properties/eq/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid1 = _errs11 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.in !== undefined){
let data2 = data.in;
const _errs13 = errors;
if(errors === _errs13){
if(Array.isArray(data2)){
if(data2.length > 1000){
validate34.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data2.length < 1){
validate34.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid2 = true;
const len0 = data2.length;
for(let i0=0; i0<len0; i0++){
let data3 = data2[i0];
const _errs15 = errors;
if(errors === _errs15){
if(errors === _errs15){
if(typeof data3 === "string"){
if(!(formats0(data3))){
validate34.errors = [{instancePath:instancePath+"/in/" + i0,schemaPath:"#/properties/in/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate34.errors = [{instancePath:instancePath+"/in/" + i0,schemaPath:"#/properties/in/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid2 = _errs15 === errors;
if(!valid2){
break;
}
}
}
}
}
else {
validate34.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs13 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.nin !== undefined){
let data4 = data.nin;
const _errs17 = errors;
if(errors === _errs17){
if(Array.isArray(data4)){
if(data4.length > 1000){
validate34.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data4.length < 1){
validate34.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid3 = true;
const len1 = data4.length;
for(let i1=0; i1<len1; i1++){
let data5 = data4[i1];
const _errs19 = errors;
if(errors === _errs19){
if(errors === _errs19){
if(typeof data5 === "string"){
if(!(formats0(data5))){
validate34.errors = [{instancePath:instancePath+"/nin/" + i1,schemaPath:"#/properties/nin/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate34.errors = [{instancePath:instancePath+"/nin/" + i1,schemaPath:"#/properties/nin/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid3 = _errs19 === errors;
if(!valid3){
break;
}
}
}
}
}
else {
validate34.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs17 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.or !== undefined){
let data6 = data.or;
const _errs21 = errors;
if(errors === _errs21){
if(Array.isArray(data6)){
if(data6.length > 100){
validate34.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/maxItems",keyword:"maxItems",params:{limit: 100}}];
return false;
}
else {
if(data6.length < 1){
validate34.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid4 = true;
const len2 = data6.length;
for(let i2=0; i2<len2; i2++){
const _errs23 = errors;
if(!(validate35(data6[i2], {instancePath:instancePath+"/or/" + i2,parentData:data6,parentDataProperty:i2,rootData}))){
vErrors = vErrors === null ? validate35.errors : vErrors.concat(validate35.errors);
errors = vErrors.length;
}
var valid4 = _errs23 === errors;
if(!valid4){
break;
}
}
}
}
}
else {
validate34.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs21 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.and !== undefined){
let data8 = data.and;
const _errs24 = errors;
if(errors === _errs24){
if(Array.isArray(data8)){
if(data8.length > 100){
validate34.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/maxItems",keyword:"maxItems",params:{limit: 100}}];
return false;
}
else {
if(data8.length < 1){
validate34.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid5 = true;
const len3 = data8.length;
for(let i3=0; i3<len3; i3++){
const _errs26 = errors;
if(!(validate35(data8[i3], {instancePath:instancePath+"/and/" + i3,parentData:data8,parentDataProperty:i3,rootData}))){
vErrors = vErrors === null ? validate35.errors : vErrors.concat(validate35.errors);
errors = vErrors.length;
}
var valid5 = _errs26 === errors;
if(!valid5){
break;
}
}
}
}
}
else {
validate34.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs24 === errors;
}
else {
var valid1 = true;
}
}
}
}
}
}
}
}
else {
validate34.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate34.errors = vErrors;
return errors === 0;
}


function validate33(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
const _errs2 = errors;
let valid0 = false;
let passing0 = null;
const _errs3 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 2){
const err0 = {instancePath,schemaPath:"#/oneOf/0/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
else {
let missing0;
if(((data.key === undefined) && (missing0 = "key")) || ((data.eq === undefined) && (missing0 = "eq"))){
const err1 = {instancePath,schemaPath:"#/oneOf/0/required",keyword:"required",params:{missingProperty: missing0}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
}
var _valid0 = _errs3 === errors;
if(_valid0){
valid0 = true;
passing0 = 0;
}
const _errs4 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 2){
const err2 = {instancePath,schemaPath:"#/oneOf/1/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
else {
let missing1;
if(((data.key === undefined) && (missing1 = "key")) || ((data.in === undefined) && (missing1 = "in"))){
const err3 = {instancePath,schemaPath:"#/oneOf/1/required",keyword:"required",params:{missingProperty: missing1}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
}
var _valid0 = _errs4 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 1];
}
else {
if(_valid0){
valid0 = true;
passing0 = 1;
}
const _errs5 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 2){
const err4 = {instancePath,schemaPath:"#/oneOf/2/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
else {
let missing2;
if(((data.key === undefined) && (missing2 = "key")) || ((data.nin === undefined) && (missing2 = "nin"))){
const err5 = {instancePath,schemaPath:"#/oneOf/2/required",keyword:"required",params:{missingProperty: missing2}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
}
var _valid0 = _errs5 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 2];
}
else {
if(_valid0){
valid0 = true;
passing0 = 2;
}
const _errs6 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 1){
const err6 = {instancePath,schemaPath:"#/oneOf/3/maxProperties",keyword:"maxProperties",params:{limit: 1}};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
else {
let missing3;
if((data.or === undefined) && (missing3 = "or")){
const err7 = {instancePath,schemaPath:"#/oneOf/3/required",keyword:"required",params:{missingProperty: missing3}};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
}
}
var _valid0 = _errs6 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 3];
}
else {
if(_valid0){
valid0 = true;
passing0 = 3;
}
const _errs7 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 1){
const err8 = {instancePath,schemaPath:"#/oneOf/4/maxProperties",keyword:"maxProperties",params:{limit: 1}};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
else {
let missing4;
if((data.and === undefined) && (missing4 = "and")){
const err9 = {instancePath,schemaPath:"#/oneOf/4/required",keyword:"required",params:{missingProperty: missing4}};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
}
}
var _valid0 = _errs7 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 4];
}
else {
if(_valid0){
valid0 = true;
passing0 = 4;
}
}
}
}
}
if(!valid0){
const err10 = {instancePath,schemaPath:"#/oneOf",keyword:"oneOf",params:{passingSchemas: passing0, comment: "must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}"}};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
validate33.errors = vErrors;
return false;
}
else {
errors = _errs2;
if(vErrors !== null){
if(_errs2){
vErrors.length = _errs2;
}
else {
vErrors = null;
}
}
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs8 = errors;
for(const key0 in data){
if(!((((((key0 === "key") || (key0 === "eq")) || (key0 === "in")) || (key0 === "nin")) || (key0 === "or")) || (key0 === "and"))){
validate33.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs8 === errors){
if(data.key !== undefined){
let data0 = data.key;
const _errs9 = errors;
if(typeof data0 !== "string"){
validate33.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!(data0 === "name")){
validate33.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/enum",keyword:"enum",params:{allowedValues: schema16.properties.key.enum}}];
return false;
}
var valid1 = _errs9 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.eq !== undefined){
let data1 = data.eq;
const _errs11 = errors;
if(errors === _errs11){
if(errors === _errs11){
if(typeof data1 === "string"){
if(!(formats0(data1))){
validate33.errors = [{instancePath:instancePath+"/eq",schemaPath:"#/properties/eq/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate33.errors = [{instancePath:instancePath+"/eq",schemaPath:"#/properties/eq/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid1 = _errs11 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.in !== undefined){
let data2 = data.in;
const _errs13 = errors;
if(errors === _errs13){
if(Array.isArray(data2)){
if(data2.length > 1000){
validate33.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data2.length < 1){
validate33.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid2 = true;
const len0 = data2.length;
for(let i0=0; i0<len0; i0++){
let data3 = data2[i0];
const _errs15 = errors;
if(errors === _errs15){
if(errors === _errs15){
if(typeof data3 === "string"){
if(!(formats0(data3))){
validate33.errors = [{instancePath:instancePath+"/in/" + i0,schemaPath:"#/properties/in/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate33.errors = [{instancePath:instancePath+"/in/" + i0,schemaPath:"#/properties/in/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid2 = _errs15 === errors;
if(!valid2){
break;
}
}
}
}
}
else {
validate33.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs13 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.nin !== undefined){
let data4 = data.nin;
const _errs17 = errors;
if(errors === _errs17){
if(Array.isArray(data4)){
if(data4.length > 1000){
validate33.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data4.length < 1){
validate33.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid3 = true;
const len1 = data4.length;
for(let i1=0; i1<len1; i1++){
let data5 = data4[i1];
const _errs19 = errors;
if(errors === _errs19){
if(errors === _errs19){
if(typeof data5 === "string"){
if(!(formats0(data5))){
validate33.errors = [{instancePath:instancePath+"/nin/" + i1,schemaPath:"#/properties/nin/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate33.errors = [{instancePath:instancePath+"/nin/" + i1,schemaPath:"#/properties/nin/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid3 = _errs19 === errors;
if(!valid3){
break;
}
}
}
}
}
else {
validate33.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs17 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.or !== undefined){
let data6 = data.or;
const _errs21 = errors;
if(errors === _errs21){
if(Array.isArray(data6)){
if(data6.length > 100){
validate33.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/maxItems",keyword:"maxItems",params:{limit: 100}}];
return false;
}
else {
if(data6.length < 1){
validate33.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid4 = true;
const len2 = data6.length;
for(let i2=0; i2<len2; i2++){
const _errs23 = errors;
if(!(validate34(data6[i2], {instancePath:instancePath+"/or/" + i2,parentData:data6,parentDataProperty:i2,rootData}))){
vErrors = vErrors === null ? validate34.errors : vErrors.concat(validate34.errors);
errors = vErrors.length;
}
var valid4 = _errs23 === errors;
if(!valid4){
break;
}
}
}
}
}
else {
validate33.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs21 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.and !== undefined){
let data8 = data.and;
const _errs24 = errors;
if(errors === _errs24){
if(Array.isArray(data8)){
if(data8.length > 100){
validate33.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/maxItems",keyword:"maxItems",params:{limit: 100}}];
return false;
}
else {
if(data8.length < 1){
validate33.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid5 = true;
const len3 = data8.length;
for(let i3=0; i3<len3; i3++){
const _errs26 = errors;
if(!(validate34(data8[i3], {instancePath:instancePath+"/and/" + i3,parentData:data8,parentDataProperty:i3,rootData}))){
vErrors = vErrors === null ? validate34.errors : vErrors.concat(validate34.errors);
errors = vErrors.length;
}
var valid5 = _errs26 === errors;
if(!valid5){
break;
}
}
}
}
}
else {
validate33.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs24 === errors;
}
else {
var valid1 = true;
}
}
}
}
}
}
}
}
else {
validate33.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate33.errors = vErrors;
return errors === 0;
}


function validate32(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
const _errs2 = errors;
let valid0 = false;
let passing0 = null;
const _errs3 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 2){
const err0 = {instancePath,schemaPath:"#/oneOf/0/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
else {
let missing0;
if(((data.key === undefined) && (missing0 = "key")) || ((data.eq === undefined) && (missing0 = "eq"))){
const err1 = {instancePath,schemaPath:"#/oneOf/0/required",keyword:"required",params:{missingProperty: missing0}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
}
var _valid0 = _errs3 === errors;
if(_valid0){
valid0 = true;
passing0 = 0;
}
const _errs4 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 2){
const err2 = {instancePath,schemaPath:"#/oneOf/1/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
else {
let missing1;
if(((data.key === undefined) && (missing1 = "key")) || ((data.in === undefined) && (missing1 = "in"))){
const err3 = {instancePath,schemaPath:"#/oneOf/1/required",keyword:"required",params:{missingProperty: missing1}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
}
var _valid0 = _errs4 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 1];
}
else {
if(_valid0){
valid0 = true;
passing0 = 1;
}
const _errs5 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 2){
const err4 = {instancePath,schemaPath:"#/oneOf/2/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
else {
let missing2;
if(((data.key === undefined) && (missing2 = "key")) || ((data.nin === undefined) && (missing2 = "nin"))){
const err5 = {instancePath,schemaPath:"#/oneOf/2/required",keyword:"required",params:{missingProperty: missing2}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
}
var _valid0 = _errs5 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 2];
}
else {
if(_valid0){
valid0 = true;
passing0 = 2;
}
const _errs6 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 1){
const err6 = {instancePath,schemaPath:"#/oneOf/3/maxProperties",keyword:"maxProperties",params:{limit: 1}};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
else {
let missing3;
if((data.or === undefined) && (missing3 = "or")){
const err7 = {instancePath,schemaPath:"#/oneOf/3/required",keyword:"required",params:{missingProperty: missing3}};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
}
}
var _valid0 = _errs6 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 3];
}
else {
if(_valid0){
valid0 = true;
passing0 = 3;
}
const _errs7 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 1){
const err8 = {instancePath,schemaPath:"#/oneOf/4/maxProperties",keyword:"maxProperties",params:{limit: 1}};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
else {
let missing4;
if((data.and === undefined) && (missing4 = "and")){
const err9 = {instancePath,schemaPath:"#/oneOf/4/required",keyword:"required",params:{missingProperty: missing4}};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
}
}
var _valid0 = _errs7 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 4];
}
else {
if(_valid0){
valid0 = true;
passing0 = 4;
}
}
}
}
}
if(!valid0){
const err10 = {instancePath,schemaPath:"#/oneOf",keyword:"oneOf",params:{passingSchemas: passing0, comment: "must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}"}};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
validate32.errors = vErrors;
return false;
}
else {
errors = _errs2;
if(vErrors !== null){
if(_errs2){
vErrors.length = _errs2;
}
else {
vErrors = null;
}
}
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs8 = errors;
for(const key0 in data){
if(!((((((key0 === "key") || (key0 === "eq")) || (key0 === "in")) || (key0 === "nin")) || (key0 === "or")) || (key0 === "and"))){
validate32.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs8 === errors){
if(data.key !== undefined){
let data0 = data.key;
const _errs9 = errors;
if(typeof data0 !== "string"){
validate32.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!(data0 === "name")){
validate32.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/enum",keyword:"enum",params:{allowedValues: schema15.properties.key.enum}}];
return false;
}
var valid1 = _errs9 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.eq !== undefined){
let data1 = data.eq;
const _errs11 = errors;
if(errors === _errs11){
if(errors === _errs11){
if(typeof data1 === "string"){
if(!(formats0(data1))){
validate32.errors = [{instancePath:instancePath+"/eq",schemaPath:"#/properties/eq/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate32.errors = [{instancePath:instancePath+"/eq",schemaPath:"#/properties/eq/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid1 = _errs11 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.in !== undefined){
let data2 = data.in;
const _errs13 = errors;
if(errors === _errs13){
if(Array.isArray(data2)){
if(data2.length > 1000){
validate32.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data2.length < 1){
validate32.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid2 = true;
const len0 = data2.length;
for(let i0=0; i0<len0; i0++){
let data3 = data2[i0];
const _errs15 = errors;
if(errors === _errs15){
if(errors === _errs15){
if(typeof data3 === "string"){
if(!(formats0(data3))){
validate32.errors = [{instancePath:instancePath+"/in/" + i0,schemaPath:"#/properties/in/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate32.errors = [{instancePath:instancePath+"/in/" + i0,schemaPath:"#/properties/in/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid2 = _errs15 === errors;
if(!valid2){
break;
}
}
}
}
}
else {
validate32.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs13 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.nin !== undefined){
let data4 = data.nin;
const _errs17 = errors;
if(errors === _errs17){
if(Array.isArray(data4)){
if(data4.length > 1000){
validate32.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data4.length < 1){
validate32.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid3 = true;
const len1 = data4.length;
for(let i1=0; i1<len1; i1++){
let data5 = data4[i1];
const _errs19 = errors;
if(errors === _errs19){
if(errors === _errs19){
if(typeof data5 === "string"){
if(!(formats0(data5))){
validate32.errors = [{instancePath:instancePath+"/nin/" + i1,schemaPath:"#/properties/nin/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate32.errors = [{instancePath:instancePath+"/nin/" + i1,schemaPath:"#/properties/nin/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid3 = _errs19 === errors;
if(!valid3){
break;
}
}
}
}
}
else {
validate32.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs17 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.or !== undefined){
let data6 = data.or;
const _errs21 = errors;
if(errors === _errs21){
if(Array.isArray(data6)){
if(data6.length > 100){
validate32.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/maxItems",keyword:"maxItems",params:{limit: 100}}];
return false;
}
else {
if(data6.length < 1){
validate32.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid4 = true;
const len2 = data6.length;
for(let i2=0; i2<len2; i2++){
const _errs23 = errors;
if(!(validate33(data6[i2], {instancePath:instancePath+"/or/" + i2,parentData:data6,parentDataProperty:i2,rootData}))){
vErrors = vErrors === null ? validate33.errors : vErrors.concat(validate33.errors);
errors = vErrors.length;
}
var valid4 = _errs23 === errors;
if(!valid4){
break;
}
}
}
}
}
else {
validate32.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs21 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.and !== undefined){
let data8 = data.and;
const _errs24 = errors;
if(errors === _errs24){
if(Array.isArray(data8)){
if(data8.length > 100){
validate32.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/maxItems",keyword:"maxItems",params:{limit: 100}}];
return false;
}
else {
if(data8.length < 1){
validate32.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid5 = true;
const len3 = data8.length;
for(let i3=0; i3<len3; i3++){
const _errs26 = errors;
if(!(validate33(data8[i3], {instancePath:instancePath+"/and/" + i3,parentData:data8,parentDataProperty:i3,rootData}))){
vErrors = vErrors === null ? validate33.errors : vErrors.concat(validate33.errors);
errors = vErrors.length;
}
var valid5 = _errs26 === errors;
if(!valid5){
break;
}
}
}
}
}
else {
validate32.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs24 === errors;
}
else {
var valid1 = true;
}
}
}
}
}
}
}
}
else {
validate32.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate32.errors = vErrors;
return errors === 0;
}


function validate31(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
const _errs2 = errors;
let valid0 = false;
let passing0 = null;
const _errs3 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 2){
const err0 = {instancePath,schemaPath:"#/oneOf/0/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
else {
let missing0;
if(((data.key === undefined) && (missing0 = "key")) || ((data.eq === undefined) && (missing0 = "eq"))){
const err1 = {instancePath,schemaPath:"#/oneOf/0/required",keyword:"required",params:{missingProperty: missing0}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
}
var _valid0 = _errs3 === errors;
if(_valid0){
valid0 = true;
passing0 = 0;
}
const _errs4 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 2){
const err2 = {instancePath,schemaPath:"#/oneOf/1/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
else {
let missing1;
if(((data.key === undefined) && (missing1 = "key")) || ((data.in === undefined) && (missing1 = "in"))){
const err3 = {instancePath,schemaPath:"#/oneOf/1/required",keyword:"required",params:{missingProperty: missing1}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
}
var _valid0 = _errs4 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 1];
}
else {
if(_valid0){
valid0 = true;
passing0 = 1;
}
const _errs5 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 2){
const err4 = {instancePath,schemaPath:"#/oneOf/2/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
else {
let missing2;
if(((data.key === undefined) && (missing2 = "key")) || ((data.nin === undefined) && (missing2 = "nin"))){
const err5 = {instancePath,schemaPath:"#/oneOf/2/required",keyword:"required",params:{missingProperty: missing2}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
}
var _valid0 = _errs5 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 2];
}
else {
if(_valid0){
valid0 = true;
passing0 = 2;
}
const _errs6 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 1){
const err6 = {instancePath,schemaPath:"#/oneOf/3/maxProperties",keyword:"maxProperties",params:{limit: 1}};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
else {
let missing3;
if((data.or === undefined) && (missing3 = "or")){
const err7 = {instancePath,schemaPath:"#/oneOf/3/required",keyword:"required",params:{missingProperty: missing3}};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
}
}
var _valid0 = _errs6 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 3];
}
else {
if(_valid0){
valid0 = true;
passing0 = 3;
}
const _errs7 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 1){
const err8 = {instancePath,schemaPath:"#/oneOf/4/maxProperties",keyword:"maxProperties",params:{limit: 1}};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
else {
let missing4;
if((data.and === undefined) && (missing4 = "and")){
const err9 = {instancePath,schemaPath:"#/oneOf/4/required",keyword:"required",params:{missingProperty: missing4}};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
}
}
var _valid0 = _errs7 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 4];
}
else {
if(_valid0){
valid0 = true;
passing0 = 4;
}
}
}
}
}
if(!valid0){
const err10 = {instancePath,schemaPath:"#/oneOf",keyword:"oneOf",params:{passingSchemas: passing0, comment: "must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}"}};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
validate31.errors = vErrors;
return false;
}
else {
errors = _errs2;
if(vErrors !== null){
if(_errs2){
vErrors.length = _errs2;
}
else {
vErrors = null;
}
}
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs8 = errors;
for(const key0 in data){
if(!((((((key0 === "key") || (key0 === "eq")) || (key0 === "in")) || (key0 === "nin")) || (key0 === "or")) || (key0 === "and"))){
validate31.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs8 === errors){
if(data.key !== undefined){
let data0 = data.key;
const _errs9 = errors;
if(typeof data0 !== "string"){
validate31.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!(data0 === "name")){
validate31.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/enum",keyword:"enum",params:{allowedValues: schema14.properties.key.enum}}];
return false;
}
var valid1 = _errs9 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.eq !== undefined){
let data1 = data.eq;
const _errs11 = errors;
if(errors === _errs11){
if(errors === _errs11){
if(typeof data1 === "string"){
if(!(formats0(data1))){
validate31.errors = [{instancePath:instancePath+"/eq",schemaPath:"#/properties/eq/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate31.errors = [{instancePath:instancePath+"/eq",schemaPath:"#/properties/eq/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid1 = _errs11 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.in !== undefined){
let data2 = data.in;
const _errs13 = errors;
if(errors === _errs13){
if(Array.isArray(data2)){
if(data2.length > 1000){
validate31.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data2.length < 1){
validate31.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid2 = true;
const len0 = data2.length;
for(let i0=0; i0<len0; i0++){
let data3 = data2[i0];
const _errs15 = errors;
if(errors === _errs15){
if(errors === _errs15){
if(typeof data3 === "string"){
if(!(formats0(data3))){
validate31.errors = [{instancePath:instancePath+"/in/" + i0,schemaPath:"#/properties/in/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate31.errors = [{instancePath:instancePath+"/in/" + i0,schemaPath:"#/properties/in/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid2 = _errs15 === errors;
if(!valid2){
break;
}
}
}
}
}
else {
validate31.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs13 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.nin !== undefined){
let data4 = data.nin;
const _errs17 = errors;
if(errors === _errs17){
if(Array.isArray(data4)){
if(data4.length > 1000){
validate31.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data4.length < 1){
validate31.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid3 = true;
const len1 = data4.length;
for(let i1=0; i1<len1; i1++){
let data5 = data4[i1];
const _errs19 = errors;
if(errors === _errs19){
if(errors === _errs19){
if(typeof data5 === "string"){
if(!(formats0(data5))){
validate31.errors = [{instancePath:instancePath+"/nin/" + i1,schemaPath:"#/properties/nin/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate31.errors = [{instancePath:instancePath+"/nin/" + i1,schemaPath:"#/properties/nin/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid3 = _errs19 === errors;
if(!valid3){
break;
}
}
}
}
}
else {
validate31.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs17 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.or !== undefined){
let data6 = data.or;
const _errs21 = errors;
if(errors === _errs21){
if(Array.isArray(data6)){
if(data6.length > 100){
validate31.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/maxItems",keyword:"maxItems",params:{limit: 100}}];
return false;
}
else {
if(data6.length < 1){
validate31.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid4 = true;
const len2 = data6.length;
for(let i2=0; i2<len2; i2++){
const _errs23 = errors;
if(!(validate32(data6[i2], {instancePath:instancePath+"/or/" + i2,parentData:data6,parentDataProperty:i2,rootData}))){
vErrors = vErrors === null ? validate32.errors : vErrors.concat(validate32.errors);
errors = vErrors.length;
}
var valid4 = _errs23 === errors;
if(!valid4){
break;
}
}
}
}
}
else {
validate31.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs21 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.and !== undefined){
let data8 = data.and;
const _errs24 = errors;
if(errors === _errs24){
if(Array.isArray(data8)){
if(data8.length > 100){
validate31.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/maxItems",keyword:"maxItems",params:{limit: 100}}];
return false;
}
else {
if(data8.length < 1){
validate31.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid5 = true;
const len3 = data8.length;
for(let i3=0; i3<len3; i3++){
const _errs26 = errors;
if(!(validate32(data8[i3], {instancePath:instancePath+"/and/" + i3,parentData:data8,parentDataProperty:i3,rootData}))){
vErrors = vErrors === null ? validate32.errors : vErrors.concat(validate32.errors);
errors = vErrors.length;
}
var valid5 = _errs26 === errors;
if(!valid5){
break;
}
}
}
}
}
else {
validate31.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs24 === errors;
}
else {
var valid1 = true;
}
}
}
}
}
}
}
}
else {
validate31.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate31.errors = vErrors;
return errors === 0;
}


function validate30(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
const _errs2 = errors;
let valid0 = false;
let passing0 = null;
const _errs3 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 2){
const err0 = {instancePath,schemaPath:"#/oneOf/0/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
else {
let missing0;
if(((data.key === undefined) && (missing0 = "key")) || ((data.eq === undefined) && (missing0 = "eq"))){
const err1 = {instancePath,schemaPath:"#/oneOf/0/required",keyword:"required",params:{missingProperty: missing0}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
}
var _valid0 = _errs3 === errors;
if(_valid0){
valid0 = true;
passing0 = 0;
}
const _errs4 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 2){
const err2 = {instancePath,schemaPath:"#/oneOf/1/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
else {
let missing1;
if(((data.key === undefined) && (missing1 = "key")) || ((data.in === undefined) && (missing1 = "in"))){
const err3 = {instancePath,schemaPath:"#/oneOf/1/required",keyword:"required",params:{missingProperty: missing1}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
}
var _valid0 = _errs4 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 1];
}
else {
if(_valid0){
valid0 = true;
passing0 = 1;
}
const _errs5 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 2){
const err4 = {instancePath,schemaPath:"#/oneOf/2/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
else {
let missing2;
if(((data.key === undefined) && (missing2 = "key")) || ((data.nin === undefined) && (missing2 = "nin"))){
const err5 = {instancePath,schemaPath:"#/oneOf/2/required",keyword:"required",params:{missingProperty: missing2}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
}
var _valid0 = _errs5 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 2];
}
else {
if(_valid0){
valid0 = true;
passing0 = 2;
}
const _errs6 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 1){
const err6 = {instancePath,schemaPath:"#/oneOf/3/maxProperties",keyword:"maxProperties",params:{limit: 1}};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
else {
let missing3;
if((data.or === undefined) && (missing3 = "or")){
const err7 = {instancePath,schemaPath:"#/oneOf/3/required",keyword:"required",params:{missingProperty: missing3}};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
}
}
var _valid0 = _errs6 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 3];
}
else {
if(_valid0){
valid0 = true;
passing0 = 3;
}
const _errs7 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 1){
const err8 = {instancePath,schemaPath:"#/oneOf/4/maxProperties",keyword:"maxProperties",params:{limit: 1}};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
else {
let missing4;
if((data.and === undefined) && (missing4 = "and")){
const err9 = {instancePath,schemaPath:"#/oneOf/4/required",keyword:"required",params:{missingProperty: missing4}};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
}
}
var _valid0 = _errs7 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 4];
}
else {
if(_valid0){
valid0 = true;
passing0 = 4;
}
}
}
}
}
if(!valid0){
const err10 = {instancePath,schemaPath:"#/oneOf",keyword:"oneOf",params:{passingSchemas: passing0, comment: "must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}"}};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
validate30.errors = vErrors;
return false;
}
else {
errors = _errs2;
if(vErrors !== null){
if(_errs2){
vErrors.length = _errs2;
}
else {
vErrors = null;
}
}
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs8 = errors;
for(const key0 in data){
if(!((((((key0 === "key") || (key0 === "eq")) || (key0 === "in")) || (key0 === "nin")) || (key0 === "or")) || (key0 === "and"))){
validate30.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs8 === errors){
if(data.key !== undefined){
let data0 = data.key;
const _errs9 = errors;
if(typeof data0 !== "string"){
validate30.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!(data0 === "name")){
validate30.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/enum",keyword:"enum",params:{allowedValues: schema13.properties.key.enum}}];
return false;
}
var valid1 = _errs9 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.eq !== undefined){
let data1 = data.eq;
const _errs11 = errors;
if(errors === _errs11){
if(errors === _errs11){
if(typeof data1 === "string"){
if(!(formats0(data1))){
validate30.errors = [{instancePath:instancePath+"/eq",schemaPath:"#/properties/eq/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate30.errors = [{instancePath:instancePath+"/eq",schemaPath:"#/properties/eq/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid1 = _errs11 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.in !== undefined){
let data2 = data.in;
const _errs13 = errors;
if(errors === _errs13){
if(Array.isArray(data2)){
if(data2.length > 1000){
validate30.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data2.length < 1){
validate30.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid2 = true;
const len0 = data2.length;
for(let i0=0; i0<len0; i0++){
let data3 = data2[i0];
const _errs15 = errors;
if(errors === _errs15){
if(errors === _errs15){
if(typeof data3 === "string"){
if(!(formats0(data3))){
validate30.errors = [{instancePath:instancePath+"/in/" + i0,schemaPath:"#/properties/in/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate30.errors = [{instancePath:instancePath+"/in/" + i0,schemaPath:"#/properties/in/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid2 = _errs15 === errors;
if(!valid2){
break;
}
}
}
}
}
else {
validate30.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs13 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.nin !== undefined){
let data4 = data.nin;
const _errs17 = errors;
if(errors === _errs17){
if(Array.isArray(data4)){
if(data4.length > 1000){
validate30.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data4.length < 1){
validate30.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid3 = true;
const len1 = data4.length;
for(let i1=0; i1<len1; i1++){
let data5 = data4[i1];
const _errs19 = errors;
if(errors === _errs19){
if(errors === _errs19){
if(typeof data5 === "string"){
if(!(formats0(data5))){
validate30.errors = [{instancePath:instancePath+"/nin/" + i1,schemaPath:"#/properties/nin/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate30.errors = [{instancePath:instancePath+"/nin/" + i1,schemaPath:"#/properties/nin/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid3 = _errs19 === errors;
if(!valid3){
break;
}
}
}
}
}
else {
validate30.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs17 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.or !== undefined){
let data6 = data.or;
const _errs21 = errors;
if(errors === _errs21){
if(Array.isArray(data6)){
if(data6.length > 100){
validate30.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/maxItems",keyword:"maxItems",params:{limit: 100}}];
return false;
}
else {
if(data6.length < 1){
validate30.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid4 = true;
const len2 = data6.length;
for(let i2=0; i2<len2; i2++){
const _errs23 = errors;
if(!(validate31(data6[i2], {instancePath:instancePath+"/or/" + i2,parentData:data6,parentDataProperty:i2,rootData}))){
vErrors = vErrors === null ? validate31.errors : vErrors.concat(validate31.errors);
errors = vErrors.length;
}
var valid4 = _errs23 === errors;
if(!valid4){
break;
}
}
}
}
}
else {
validate30.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs21 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.and !== undefined){
let data8 = data.and;
const _errs24 = errors;
if(errors === _errs24){
if(Array.isArray(data8)){
if(data8.length > 100){
validate30.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/maxItems",keyword:"maxItems",params:{limit: 100}}];
return false;
}
else {
if(data8.length < 1){
validate30.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid5 = true;
const len3 = data8.length;
for(let i3=0; i3<len3; i3++){
const _errs26 = errors;
if(!(validate31(data8[i3], {instancePath:instancePath+"/and/" + i3,parentData:data8,parentDataProperty:i3,rootData}))){
vErrors = vErrors === null ? validate31.errors : vErrors.concat(validate31.errors);
errors = vErrors.length;
}
var valid5 = _errs26 === errors;
if(!valid5){
break;
}
}
}
}
}
else {
validate30.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs24 === errors;
}
else {
var valid1 = true;
}
}
}
}
}
}
}
}
else {
validate30.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate30.errors = vErrors;
return errors === 0;
}


function validate28(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "pagination") || (key0 === "filters"))){
validate28.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.pagination !== undefined){
const _errs2 = errors;
if(!(validate23(data.pagination, {instancePath:instancePath+"/pagination",parentData:data,parentDataProperty:"pagination",rootData}))){
vErrors = vErrors === null ? validate23.errors : vErrors.concat(validate23.errors);
errors = vErrors.length;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.filters !== undefined){
let data1 = data.filters;
const _errs3 = errors;
if(errors === _errs3){
if(Array.isArray(data1)){
if(data1.length > 100){
validate28.errors = [{instancePath:instancePath+"/filters",schemaPath:"#/properties/filters/maxItems",keyword:"maxItems",params:{limit: 100}}];
return false;
}
else {
var valid1 = true;
const len0 = data1.length;
for(let i0=0; i0<len0; i0++){
const _errs5 = errors;
if(!(validate30(data1[i0], {instancePath:instancePath+"/filters/" + i0,parentData:data1,parentDataProperty:i0,rootData}))){
vErrors = vErrors === null ? validate30.errors : vErrors.concat(validate30.errors);
errors = vErrors.length;
}
var valid1 = _errs5 === errors;
if(!valid1){
break;
}
}
}
}
else {
validate28.errors = [{instancePath:instancePath+"/filters",schemaPath:"#/properties/filters/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
}
}
}
else {
validate28.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate28.errors = vErrors;
return errors === 0;
}

export const validate_member_base_delete = validate47;
const schema19 = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};

function validate47(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.id === undefined) && (missing0 = "id")){
validate47.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "id")){
validate47.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
if(typeof data.id !== "string"){
validate47.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
}
}
else {
validate47.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate47.errors = vErrors;
return errors === 0;
}

export const validate_member_list = validate48;
const schema20 = {"type":"object","required":["member_base_id"],"properties":{"member_base_id":{"type":"string"},"pagination":{"$ref":"shared_1"},"filters":{"type":"array","maxItems":100,"items":{"$ref":"#/$defs/filter_1"}}},"additionalProperties":false,"$defs":{"filter_1":{"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["id","ref"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_2"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_2"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]},"filter_2":{"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["id","ref"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_3"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_3"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]},"filter_3":{"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["id","ref"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_4"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_4"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]},"filter_4":{"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["id","ref"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_5"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_5"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]},"filter_5":{"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["id","ref"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_6"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_6"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]},"filter_6":{"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\": combinators nest at most 5 deep","additionalProperties":false,"properties":{"key":{"type":"string","enum":["id","ref"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2}]}}};
const schema21 = {"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["id","ref"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_2"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_2"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]};
const schema22 = {"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["id","ref"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_3"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_3"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]};
const schema23 = {"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["id","ref"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_4"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_4"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]};
const schema24 = {"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["id","ref"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_5"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_5"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]};
const schema25 = {"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["id","ref"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_6"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_6"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]};
const schema26 = {"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\": combinators nest at most 5 deep","additionalProperties":false,"properties":{"key":{"type":"string","enum":["id","ref"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2}]};

function validate55(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
const _errs2 = errors;
let valid0 = false;
let passing0 = null;
const _errs3 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 2){
const err0 = {instancePath,schemaPath:"#/oneOf/0/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
else {
let missing0;
if(((data.key === undefined) && (missing0 = "key")) || ((data.eq === undefined) && (missing0 = "eq"))){
const err1 = {instancePath,schemaPath:"#/oneOf/0/required",keyword:"required",params:{missingProperty: missing0}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
}
var _valid0 = _errs3 === errors;
if(_valid0){
valid0 = true;
passing0 = 0;
}
const _errs4 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 2){
const err2 = {instancePath,schemaPath:"#/oneOf/1/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
else {
let missing1;
if(((data.key === undefined) && (missing1 = "key")) || ((data.in === undefined) && (missing1 = "in"))){
const err3 = {instancePath,schemaPath:"#/oneOf/1/required",keyword:"required",params:{missingProperty: missing1}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
}
var _valid0 = _errs4 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 1];
}
else {
if(_valid0){
valid0 = true;
passing0 = 1;
}
const _errs5 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 2){
const err4 = {instancePath,schemaPath:"#/oneOf/2/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
else {
let missing2;
if(((data.key === undefined) && (missing2 = "key")) || ((data.nin === undefined) && (missing2 = "nin"))){
const err5 = {instancePath,schemaPath:"#/oneOf/2/required",keyword:"required",params:{missingProperty: missing2}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
}
var _valid0 = _errs5 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 2];
}
else {
if(_valid0){
valid0 = true;
passing0 = 2;
}
}
}
if(!valid0){
const err6 = {instancePath,schemaPath:"#/oneOf",keyword:"oneOf",params:{passingSchemas: passing0, comment: "must be a \"key\" with one of \"eq\", \"in\" and \"nin\": combinators nest at most 5 deep"}};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
validate55.errors = vErrors;
return false;
}
else {
errors = _errs2;
if(vErrors !== null){
if(_errs2){
vErrors.length = _errs2;
}
else {
vErrors = null;
}
}
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs6 = errors;
for(const key0 in data){
if(!((((key0 === "key") || (key0 === "eq")) || (key0 === "in")) || (key0 === "nin"))){
validate55.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs6 === errors){
if(data.key !== undefined){
let data0 = data.key;
const _errs7 = errors;
if(typeof data0 !== "string"){
validate55.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!((data0 === "id") || (data0 === "ref"))){
validate55.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/enum",keyword:"enum",params:{allowedValues: schema26.properties.key.enum}}];
return false;
}
var valid1 = _errs7 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.eq !== undefined){
let data1 = data.eq;
const _errs9 = errors;
if(errors === _errs9){
if(errors === _errs9){
if(typeof data1 === "string"){
if(!(formats0(data1))){
validate55.errors = [{instancePath:instancePath+"/eq",schemaPath:"#/properties/eq/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate55.errors = [{instancePath:instancePath+"/eq",schemaPath:"#/properties/eq/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid1 = _errs9 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.in !== undefined){
let data2 = data.in;
const _errs11 = errors;
if(errors === _errs11){
if(Array.isArray(data2)){
if(data2.length > 1000){
validate55.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data2.length < 1){
validate55.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid2 = true;
const len0 = data2.length;
for(let i0=0; i0<len0; i0++){
let data3 = data2[i0];
const _errs13 = errors;
if(errors === _errs13){
if(errors === _errs13){
if(typeof data3 === "string"){
if(!(formats0(data3))){
validate55.errors = [{instancePath:instancePath+"/in/" + i0,schemaPath:"#/properties/in/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate55.errors = [{instancePath:instancePath+"/in/" + i0,schemaPath:"#/properties/in/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid2 = _errs13 === errors;
if(!valid2){
break;
}
}
}
}
}
else {
validate55.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs11 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.nin !== undefined){
let data4 = data.nin;
const _errs15 = errors;
if(errors === _errs15){
if(Array.isArray(data4)){
if(data4.length > 1000){
validate55.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data4.length < 1){
validate55.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid3 = true;
const len1 = data4.length;
for(let i1=0; i1<len1; i1++){
let data5 = data4[i1];
const _errs17 = errors;
if(errors === _errs17){
if(errors === _errs17){
if(typeof data5 === "string"){
if(!(formats0(data5))){
validate55.errors = [{instancePath:instancePath+"/nin/" + i1,schemaPath:"#/properties/nin/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate55.errors = [{instancePath:instancePath+"/nin/" + i1,schemaPath:"#/properties/nin/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid3 = _errs17 === errors;
if(!valid3){
break;
}
}
}
}
}
else {
validate55.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs15 === errors;
}
else {
var valid1 = true;
}
}
}
}
}
}
else {
validate55.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate55.errors = vErrors;
return errors === 0;
}


function validate54(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
const _errs2 = errors;
let valid0 = false;
let passing0 = null;
const _errs3 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 2){
const err0 = {instancePath,schemaPath:"#/oneOf/0/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
else {
let missing0;
if(((data.key === undefined) && (missing0 = "key")) || ((data.eq === undefined) && (missing0 = "eq"))){
const err1 = {instancePath,schemaPath:"#/oneOf/0/required",keyword:"required",params:{missingProperty: missing0}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
}
var _valid0 = _errs3 === errors;
if(_valid0){
valid0 = true;
passing0 = 0;
}
const _errs4 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 2){
const err2 = {instancePath,schemaPath:"#/oneOf/1/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
else {
let missing1;
if(((data.key === undefined) && (missing1 = "key")) || ((data.in === undefined) && (missing1 = "in"))){
const err3 = {instancePath,schemaPath:"#/oneOf/1/required",keyword:"required",params:{missingProperty: missing1}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
}
var _valid0 = _errs4 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 1];
}
else {
if(_valid0){
valid0 = true;
passing0 = 1;
}
const _errs5 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 2){
const err4 = {instancePath,schemaPath:"#/oneOf/2/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
else {
let missing2;
if(((data.key === undefined) && (missing2 = "key")) || ((data.nin === undefined) && (missing2 = "nin"))){
const err5 = {instancePath,schemaPath:"#/oneOf/2/required",keyword:"required",params:{missingProperty: missing2}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
}
var _valid0 = _errs5 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 2];
}
else {
if(_valid0){
valid0 = true;
passing0 = 2;
}
const _errs6 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 1){
const err6 = {instancePath,schemaPath:"#/oneOf/3/maxProperties",keyword:"maxProperties",params:{limit: 1}};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
else {
let missing3;
if((data.or === undefined) && (missing3 = "or")){
const err7 = {instancePath,schemaPath:"#/oneOf/3/required",keyword:"required",params:{missingProperty: missing3}};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
}
}
var _valid0 = _errs6 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 3];
}
else {
if(_valid0){
valid0 = true;
passing0 = 3;
}
const _errs7 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 1){
const err8 = {instancePath,schemaPath:"#/oneOf/4/maxProperties",keyword:"maxProperties",params:{limit: 1}};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
else {
let missing4;
if((data.and === undefined) && (missing4 = "and")){
const err9 = {instancePath,schemaPath:"#/oneOf/4/required",keyword:"required",params:{missingProperty: missing4}};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
}
}
var _valid0 = _errs7 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 4];
}
else {
if(_valid0){
valid0 = true;
passing0 = 4;
}
}
}
}
}
if(!valid0){
const err10 = {instancePath,schemaPath:"#/oneOf",keyword:"oneOf",params:{passingSchemas: passing0, comment: "must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}"}};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
validate54.errors = vErrors;
return false;
}
else {
errors = _errs2;
if(vErrors !== null){
if(_errs2){
vErrors.length = _errs2;
}
else {
vErrors = null;
}
}
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs8 = errors;
for(const key0 in data){
if(!((((((key0 === "key") || (key0 === "eq")) || (key0 === "in")) || (key0 === "nin")) || (key0 === "or")) || (key0 === "and"))){
validate54.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs8 === errors){
if(data.key !== undefined){
let data0 = data.key;
const _errs9 = errors;
if(typeof data0 !== "string"){
validate54.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!((data0 === "id") || (data0 === "ref"))){
validate54.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/enum",keyword:"enum",params:{allowedValues: schema25.properties.key.enum}}];
return false;
}
var valid1 = _errs9 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.eq !== undefined){
let data1 = data.eq;
const _errs11 = errors;
if(errors === _errs11){
if(errors === _errs11){
if(typeof data1 === "string"){
if(!(formats0(data1))){
validate54.errors = [{instancePath:instancePath+"/eq",schemaPath:"#/properties/eq/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate54.errors = [{instancePath:instancePath+"/eq",schemaPath:"#/properties/eq/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid1 = _errs11 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.in !== undefined){
let data2 = data.in;
const _errs13 = errors;
if(errors === _errs13){
if(Array.isArray(data2)){
if(data2.length > 1000){
validate54.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data2.length < 1){
validate54.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid2 = true;
const len0 = data2.length;
for(let i0=0; i0<len0; i0++){
let data3 = data2[i0];
const _errs15 = errors;
if(errors === _errs15){
if(errors === _errs15){
if(typeof data3 === "string"){
if(!(formats0(data3))){
validate54.errors = [{instancePath:instancePath+"/in/" + i0,schemaPath:"#/properties/in/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate54.errors = [{instancePath:instancePath+"/in/" + i0,schemaPath:"#/properties/in/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid2 = _errs15 === errors;
if(!valid2){
break;
}
}
}
}
}
else {
validate54.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs13 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.nin !== undefined){
let data4 = data.nin;
const _errs17 = errors;
if(errors === _errs17){
if(Array.isArray(data4)){
if(data4.length > 1000){
validate54.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data4.length < 1){
validate54.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid3 = true;
const len1 = data4.length;
for(let i1=0; i1<len1; i1++){
let data5 = data4[i1];
const _errs19 = errors;
if(errors === _errs19){
if(errors === _errs19){
if(typeof data5 === "string"){
if(!(formats0(data5))){
validate54.errors = [{instancePath:instancePath+"/nin/" + i1,schemaPath:"#/properties/nin/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate54.errors = [{instancePath:instancePath+"/nin/" + i1,schemaPath:"#/properties/nin/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid3 = _errs19 === errors;
if(!valid3){
break;
}
}
}
}
}
else {
validate54.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs17 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.or !== undefined){
let data6 = data.or;
const _errs21 = errors;
if(errors === _errs21){
if(Array.isArray(data6)){
if(data6.length > 100){
validate54.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/maxItems",keyword:"maxItems",params:{limit: 100}}];
return false;
}
else {
if(data6.length < 1){
validate54.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid4 = true;
const len2 = data6.length;
for(let i2=0; i2<len2; i2++){
const _errs23 = errors;
if(!(validate55(data6[i2], {instancePath:instancePath+"/or/" + i2,parentData:data6,parentDataProperty:i2,rootData}))){
vErrors = vErrors === null ? validate55.errors : vErrors.concat(validate55.errors);
errors = vErrors.length;
}
var valid4 = _errs23 === errors;
if(!valid4){
break;
}
}
}
}
}
else {
validate54.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs21 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.and !== undefined){
let data8 = data.and;
const _errs24 = errors;
if(errors === _errs24){
if(Array.isArray(data8)){
if(data8.length > 100){
validate54.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/maxItems",keyword:"maxItems",params:{limit: 100}}];
return false;
}
else {
if(data8.length < 1){
validate54.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid5 = true;
const len3 = data8.length;
for(let i3=0; i3<len3; i3++){
const _errs26 = errors;
if(!(validate55(data8[i3], {instancePath:instancePath+"/and/" + i3,parentData:data8,parentDataProperty:i3,rootData}))){
vErrors = vErrors === null ? validate55.errors : vErrors.concat(validate55.errors);
errors = vErrors.length;
}
var valid5 = _errs26 === errors;
if(!valid5){
break;
}
}
}
}
}
else {
validate54.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs24 === errors;
}
else {
var valid1 = true;
}
}
}
}
}
}
}
}
else {
validate54.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate54.errors = vErrors;
return errors === 0;
}


function validate53(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
const _errs2 = errors;
let valid0 = false;
let passing0 = null;
const _errs3 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 2){
const err0 = {instancePath,schemaPath:"#/oneOf/0/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
else {
let missing0;
if(((data.key === undefined) && (missing0 = "key")) || ((data.eq === undefined) && (missing0 = "eq"))){
const err1 = {instancePath,schemaPath:"#/oneOf/0/required",keyword:"required",params:{missingProperty: missing0}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
}
var _valid0 = _errs3 === errors;
if(_valid0){
valid0 = true;
passing0 = 0;
}
const _errs4 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 2){
const err2 = {instancePath,schemaPath:"#/oneOf/1/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
else {
let missing1;
if(((data.key === undefined) && (missing1 = "key")) || ((data.in === undefined) && (missing1 = "in"))){
const err3 = {instancePath,schemaPath:"#/oneOf/1/required",keyword:"required",params:{missingProperty: missing1}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
}
var _valid0 = _errs4 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 1];
}
else {
if(_valid0){
valid0 = true;
passing0 = 1;
}
const _errs5 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 2){
const err4 = {instancePath,schemaPath:"#/oneOf/2/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
else {
let missing2;
if(((data.key === undefined) && (missing2 = "key")) || ((data.nin === undefined) && (missing2 = "nin"))){
const err5 = {instancePath,schemaPath:"#/oneOf/2/required",keyword:"required",params:{missingProperty: missing2}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
}
var _valid0 = _errs5 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 2];
}
else {
if(_valid0){
valid0 = true;
passing0 = 2;
}
const _errs6 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 1){
const err6 = {instancePath,schemaPath:"#/oneOf/3/maxProperties",keyword:"maxProperties",params:{limit: 1}};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
else {
let missing3;
if((data.or === undefined) && (missing3 = "or")){
const err7 = {instancePath,schemaPath:"#/oneOf/3/required",keyword:"required",params:{missingProperty: missing3}};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
}
}
var _valid0 = _errs6 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 3];
}
else {
if(_valid0){
valid0 = true;
passing0 = 3;
}
const _errs7 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 1){
const err8 = {instancePath,schemaPath:"#/oneOf/4/maxProperties",keyword:"maxProperties",params:{limit: 1}};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
else {
let missing4;
if((data.and === undefined) && (missing4 = "and")){
const err9 = {instancePath,schemaPath:"#/oneOf/4/required",keyword:"required",params:{missingProperty: missing4}};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
}
}
var _valid0 = _errs7 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 4];
}
else {
if(_valid0){
valid0 = true;
passing0 = 4;
}
}
}
}
}
if(!valid0){
const err10 = {instancePath,schemaPath:"#/oneOf",keyword:"oneOf",params:{passingSchemas: passing0, comment: "must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}"}};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
validate53.errors = vErrors;
return false;
}
else {
errors = _errs2;
if(vErrors !== null){
if(_errs2){
vErrors.length = _errs2;
}
else {
vErrors = null;
}
}
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs8 = errors;
for(const key0 in data){
if(!((((((key0 === "key") || (key0 === "eq")) || (key0 === "in")) || (key0 === "nin")) || (key0 === "or")) || (key0 === "and"))){
validate53.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs8 === errors){
if(data.key !== undefined){
let data0 = data.key;
const _errs9 = errors;
if(typeof data0 !== "string"){
validate53.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!((data0 === "id") || (data0 === "ref"))){
validate53.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/enum",keyword:"enum",params:{allowedValues: schema24.properties.key.enum}}];
return false;
}
var valid1 = _errs9 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.eq !== undefined){
let data1 = data.eq;
const _errs11 = errors;
if(errors === _errs11){
if(errors === _errs11){
if(typeof data1 === "string"){
if(!(formats0(data1))){
validate53.errors = [{instancePath:instancePath+"/eq",schemaPath:"#/properties/eq/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate53.errors = [{instancePath:instancePath+"/eq",schemaPath:"#/properties/eq/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid1 = _errs11 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.in !== undefined){
let data2 = data.in;
const _errs13 = errors;
if(errors === _errs13){
if(Array.isArray(data2)){
if(data2.length > 1000){
validate53.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data2.length < 1){
validate53.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid2 = true;
const len0 = data2.length;
for(let i0=0; i0<len0; i0++){
let data3 = data2[i0];
const _errs15 = errors;
if(errors === _errs15){
if(errors === _errs15){
if(typeof data3 === "string"){
if(!(formats0(data3))){
validate53.errors = [{instancePath:instancePath+"/in/" + i0,schemaPath:"#/properties/in/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate53.errors = [{instancePath:instancePath+"/in/" + i0,schemaPath:"#/properties/in/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid2 = _errs15 === errors;
if(!valid2){
break;
}
}
}
}
}
else {
validate53.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs13 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.nin !== undefined){
let data4 = data.nin;
const _errs17 = errors;
if(errors === _errs17){
if(Array.isArray(data4)){
if(data4.length > 1000){
validate53.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data4.length < 1){
validate53.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid3 = true;
const len1 = data4.length;
for(let i1=0; i1<len1; i1++){
let data5 = data4[i1];
const _errs19 = errors;
if(errors === _errs19){
if(errors === _errs19){
if(typeof data5 === "string"){
if(!(formats0(data5))){
validate53.errors = [{instancePath:instancePath+"/nin/" + i1,schemaPath:"#/properties/nin/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate53.errors = [{instancePath:instancePath+"/nin/" + i1,schemaPath:"#/properties/nin/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid3 = _errs19 === errors;
if(!valid3){
break;
}
}
}
}
}
else {
validate53.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs17 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.or !== undefined){
let data6 = data.or;
const _errs21 = errors;
if(errors === _errs21){
if(Array.isArray(data6)){
if(data6.length > 100){
validate53.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/maxItems",keyword:"maxItems",params:{limit: 100}}];
return false;
}
else {
if(data6.length < 1){
validate53.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid4 = true;
const len2 = data6.length;
for(let i2=0; i2<len2; i2++){
const _errs23 = errors;
if(!(validate54(data6[i2], {instancePath:instancePath+"/or/" + i2,parentData:data6,parentDataProperty:i2,rootData}))){
vErrors = vErrors === null ? validate54.errors : vErrors.concat(validate54.errors);
errors = vErrors.length;
}
var valid4 = _errs23 === errors;
if(!valid4){
break;
}
}
}
}
}
else {
validate53.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs21 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.and !== undefined){
let data8 = data.and;
const _errs24 = errors;
if(errors === _errs24){
if(Array.isArray(data8)){
if(data8.length > 100){
validate53.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/maxItems",keyword:"maxItems",params:{limit: 100}}];
return false;
}
else {
if(data8.length < 1){
validate53.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid5 = true;
const len3 = data8.length;
for(let i3=0; i3<len3; i3++){
const _errs26 = errors;
if(!(validate54(data8[i3], {instancePath:instancePath+"/and/" + i3,parentData:data8,parentDataProperty:i3,rootData}))){
vErrors = vErrors === null ? validate54.errors : vErrors.concat(validate54.errors);
errors = vErrors.length;
}
var valid5 = _errs26 === errors;
if(!valid5){
break;
}
}
}
}
}
else {
validate53.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs24 === errors;
}
else {
var valid1 = true;
}
}
}
}
}
}
}
}
else {
validate53.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate53.errors = vErrors;
return errors === 0;
}


function validate52(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
const _errs2 = errors;
let valid0 = false;
let passing0 = null;
const _errs3 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 2){
const err0 = {instancePath,schemaPath:"#/oneOf/0/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
else {
let missing0;
if(((data.key === undefined) && (missing0 = "key")) || ((data.eq === undefined) && (missing0 = "eq"))){
const err1 = {instancePath,schemaPath:"#/oneOf/0/required",keyword:"required",params:{missingProperty: missing0}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
}
var _valid0 = _errs3 === errors;
if(_valid0){
valid0 = true;
passing0 = 0;
}
const _errs4 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 2){
const err2 = {instancePath,schemaPath:"#/oneOf/1/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
else {
let missing1;
if(((data.key === undefined) && (missing1 = "key")) || ((data.in === undefined) && (missing1 = "in"))){
const err3 = {instancePath,schemaPath:"#/oneOf/1/required",keyword:"required",params:{missingProperty: missing1}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
}
var _valid0 = _errs4 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 1];
}
else {
if(_valid0){
valid0 = true;
passing0 = 1;
}
const _errs5 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 2){
const err4 = {instancePath,schemaPath:"#/oneOf/2/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
else {
let missing2;
if(((data.key === undefined) && (missing2 = "key")) || ((data.nin === undefined) && (missing2 = "nin"))){
const err5 = {instancePath,schemaPath:"#/oneOf/2/required",keyword:"required",params:{missingProperty: missing2}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
}
var _valid0 = _errs5 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 2];
}
else {
if(_valid0){
valid0 = true;
passing0 = 2;
}
const _errs6 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 1){
const err6 = {instancePath,schemaPath:"#/oneOf/3/maxProperties",keyword:"maxProperties",params:{limit: 1}};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
else {
let missing3;
if((data.or === undefined) && (missing3 = "or")){
const err7 = {instancePath,schemaPath:"#/oneOf/3/required",keyword:"required",params:{missingProperty: missing3}};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
}
}
var _valid0 = _errs6 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 3];
}
else {
if(_valid0){
valid0 = true;
passing0 = 3;
}
const _errs7 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 1){
const err8 = {instancePath,schemaPath:"#/oneOf/4/maxProperties",keyword:"maxProperties",params:{limit: 1}};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
else {
let missing4;
if((data.and === undefined) && (missing4 = "and")){
const err9 = {instancePath,schemaPath:"#/oneOf/4/required",keyword:"required",params:{missingProperty: missing4}};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
}
}
var _valid0 = _errs7 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 4];
}
else {
if(_valid0){
valid0 = true;
passing0 = 4;
}
}
}
}
}
if(!valid0){
const err10 = {instancePath,schemaPath:"#/oneOf",keyword:"oneOf",params:{passingSchemas: passing0, comment: "must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}"}};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
validate52.errors = vErrors;
return false;
}
else {
errors = _errs2;
if(vErrors !== null){
if(_errs2){
vErrors.length = _errs2;
}
else {
vErrors = null;
}
}
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs8 = errors;
for(const key0 in data){
if(!((((((key0 === "key") || (key0 === "eq")) || (key0 === "in")) || (key0 === "nin")) || (key0 === "or")) || (key0 === "and"))){
validate52.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs8 === errors){
if(data.key !== undefined){
let data0 = data.key;
const _errs9 = errors;
if(typeof data0 !== "string"){
validate52.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!((data0 === "id") || (data0 === "ref"))){
validate52.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/enum",keyword:"enum",params:{allowedValues: schema23.properties.key.enum}}];
return false;
}
var valid1 = _errs9 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.eq !== undefined){
let data1 = data.eq;
const _errs11 = errors;
if(errors === _errs11){
if(errors === _errs11){
if(typeof data1 === "string"){
if(!(formats0(data1))){
validate52.errors = [{instancePath:instancePath+"/eq",schemaPath:"#/properties/eq/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate52.errors = [{instancePath:instancePath+"/eq",schemaPath:"#/properties/eq/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid1 = _errs11 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.in !== undefined){
let data2 = data.in;
const _errs13 = errors;
if(errors === _errs13){
if(Array.isArray(data2)){
if(data2.length > 1000){
validate52.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data2.length < 1){
validate52.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid2 = true;
const len0 = data2.length;
for(let i0=0; i0<len0; i0++){
let data3 = data2[i0];
const _errs15 = errors;
if(errors === _errs15){
if(errors === _errs15){
if(typeof data3 === "string"){
if(!(formats0(data3))){
validate52.errors = [{instancePath:instancePath+"/in/" + i0,schemaPath:"#/properties/in/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate52.errors = [{instancePath:instancePath+"/in/" + i0,schemaPath:"#/properties/in/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid2 = _errs15 === errors;
if(!valid2){
break;
}
}
}
}
}
else {
validate52.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs13 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.nin !== undefined){
let data4 = data.nin;
const _errs17 = errors;
if(errors === _errs17){
if(Array.isArray(data4)){
if(data4.length > 1000){
validate52.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data4.length < 1){
validate52.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid3 = true;
const len1 = data4.length;
for(let i1=0; i1<len1; i1++){
let data5 = data4[i1];
const _errs19 = errors;
if(errors === _errs19){
if(errors === _errs19){
if(typeof data5 === "string"){
if(!(formats0(data5))){
validate52.errors = [{instancePath:instancePath+"/nin/" + i1,schemaPath:"#/properties/nin/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate52.errors = [{instancePath:instancePath+"/nin/" + i1,schemaPath:"#/properties/nin/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid3 = _errs19 === errors;
if(!valid3){
break;
}
}
}
}
}
else {
validate52.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs17 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.or !== undefined){
let data6 = data.or;
const _errs21 = errors;
if(errors === _errs21){
if(Array.isArray(data6)){
if(data6.length > 100){
validate52.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/maxItems",keyword:"maxItems",params:{limit: 100}}];
return false;
}
else {
if(data6.length < 1){
validate52.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid4 = true;
const len2 = data6.length;
for(let i2=0; i2<len2; i2++){
const _errs23 = errors;
if(!(validate53(data6[i2], {instancePath:instancePath+"/or/" + i2,parentData:data6,parentDataProperty:i2,rootData}))){
vErrors = vErrors === null ? validate53.errors : vErrors.concat(validate53.errors);
errors = vErrors.length;
}
var valid4 = _errs23 === errors;
if(!valid4){
break;
}
}
}
}
}
else {
validate52.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs21 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.and !== undefined){
let data8 = data.and;
const _errs24 = errors;
if(errors === _errs24){
if(Array.isArray(data8)){
if(data8.length > 100){
validate52.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/maxItems",keyword:"maxItems",params:{limit: 100}}];
return false;
}
else {
if(data8.length < 1){
validate52.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid5 = true;
const len3 = data8.length;
for(let i3=0; i3<len3; i3++){
const _errs26 = errors;
if(!(validate53(data8[i3], {instancePath:instancePath+"/and/" + i3,parentData:data8,parentDataProperty:i3,rootData}))){
vErrors = vErrors === null ? validate53.errors : vErrors.concat(validate53.errors);
errors = vErrors.length;
}
var valid5 = _errs26 === errors;
if(!valid5){
break;
}
}
}
}
}
else {
validate52.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs24 === errors;
}
else {
var valid1 = true;
}
}
}
}
}
}
}
}
else {
validate52.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate52.errors = vErrors;
return errors === 0;
}


function validate51(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
const _errs2 = errors;
let valid0 = false;
let passing0 = null;
const _errs3 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 2){
const err0 = {instancePath,schemaPath:"#/oneOf/0/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
else {
let missing0;
if(((data.key === undefined) && (missing0 = "key")) || ((data.eq === undefined) && (missing0 = "eq"))){
const err1 = {instancePath,schemaPath:"#/oneOf/0/required",keyword:"required",params:{missingProperty: missing0}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
}
var _valid0 = _errs3 === errors;
if(_valid0){
valid0 = true;
passing0 = 0;
}
const _errs4 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 2){
const err2 = {instancePath,schemaPath:"#/oneOf/1/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
else {
let missing1;
if(((data.key === undefined) && (missing1 = "key")) || ((data.in === undefined) && (missing1 = "in"))){
const err3 = {instancePath,schemaPath:"#/oneOf/1/required",keyword:"required",params:{missingProperty: missing1}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
}
var _valid0 = _errs4 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 1];
}
else {
if(_valid0){
valid0 = true;
passing0 = 1;
}
const _errs5 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 2){
const err4 = {instancePath,schemaPath:"#/oneOf/2/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
else {
let missing2;
if(((data.key === undefined) && (missing2 = "key")) || ((data.nin === undefined) && (missing2 = "nin"))){
const err5 = {instancePath,schemaPath:"#/oneOf/2/required",keyword:"required",params:{missingProperty: missing2}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
}
var _valid0 = _errs5 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 2];
}
else {
if(_valid0){
valid0 = true;
passing0 = 2;
}
const _errs6 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 1){
const err6 = {instancePath,schemaPath:"#/oneOf/3/maxProperties",keyword:"maxProperties",params:{limit: 1}};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
else {
let missing3;
if((data.or === undefined) && (missing3 = "or")){
const err7 = {instancePath,schemaPath:"#/oneOf/3/required",keyword:"required",params:{missingProperty: missing3}};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
}
}
var _valid0 = _errs6 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 3];
}
else {
if(_valid0){
valid0 = true;
passing0 = 3;
}
const _errs7 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 1){
const err8 = {instancePath,schemaPath:"#/oneOf/4/maxProperties",keyword:"maxProperties",params:{limit: 1}};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
else {
let missing4;
if((data.and === undefined) && (missing4 = "and")){
const err9 = {instancePath,schemaPath:"#/oneOf/4/required",keyword:"required",params:{missingProperty: missing4}};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
}
}
var _valid0 = _errs7 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 4];
}
else {
if(_valid0){
valid0 = true;
passing0 = 4;
}
}
}
}
}
if(!valid0){
const err10 = {instancePath,schemaPath:"#/oneOf",keyword:"oneOf",params:{passingSchemas: passing0, comment: "must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}"}};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
validate51.errors = vErrors;
return false;
}
else {
errors = _errs2;
if(vErrors !== null){
if(_errs2){
vErrors.length = _errs2;
}
else {
vErrors = null;
}
}
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs8 = errors;
for(const key0 in data){
if(!((((((key0 === "key") || (key0 === "eq")) || (key0 === "in")) || (key0 === "nin")) || (key0 === "or")) || (key0 === "and"))){
validate51.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs8 === errors){
if(data.key !== undefined){
let data0 = data.key;
const _errs9 = errors;
if(typeof data0 !== "string"){
validate51.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!((data0 === "id") || (data0 === "ref"))){
validate51.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/enum",keyword:"enum",params:{allowedValues: schema22.properties.key.enum}}];
return false;
}
var valid1 = _errs9 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.eq !== undefined){
let data1 = data.eq;
const _errs11 = errors;
if(errors === _errs11){
if(errors === _errs11){
if(typeof data1 === "string"){
if(!(formats0(data1))){
validate51.errors = [{instancePath:instancePath+"/eq",schemaPath:"#/properties/eq/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate51.errors = [{instancePath:instancePath+"/eq",schemaPath:"#/properties/eq/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid1 = _errs11 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.in !== undefined){
let data2 = data.in;
const _errs13 = errors;
if(errors === _errs13){
if(Array.isArray(data2)){
if(data2.length > 1000){
validate51.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data2.length < 1){
validate51.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid2 = true;
const len0 = data2.length;
for(let i0=0; i0<len0; i0++){
let data3 = data2[i0];
const _errs15 = errors;
if(errors === _errs15){
if(errors === _errs15){
if(typeof data3 === "string"){
if(!(formats0(data3))){
validate51.errors = [{instancePath:instancePath+"/in/" + i0,schemaPath:"#/properties/in/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate51.errors = [{instancePath:instancePath+"/in/" + i0,schemaPath:"#/properties/in/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid2 = _errs15 === errors;
if(!valid2){
break;
}
}
}
}
}
else {
validate51.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs13 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.nin !== undefined){
let data4 = data.nin;
const _errs17 = errors;
if(errors === _errs17){
if(Array.isArray(data4)){
if(data4.length > 1000){
validate51.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data4.length < 1){
validate51.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid3 = true;
const len1 = data4.length;
for(let i1=0; i1<len1; i1++){
let data5 = data4[i1];
const _errs19 = errors;
if(errors === _errs19){
if(errors === _errs19){
if(typeof data5 === "string"){
if(!(formats0(data5))){
validate51.errors = [{instancePath:instancePath+"/nin/" + i1,schemaPath:"#/properties/nin/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate51.errors = [{instancePath:instancePath+"/nin/" + i1,schemaPath:"#/properties/nin/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid3 = _errs19 === errors;
if(!valid3){
break;
}
}
}
}
}
else {
validate51.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs17 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.or !== undefined){
let data6 = data.or;
const _errs21 = errors;
if(errors === _errs21){
if(Array.isArray(data6)){
if(data6.length > 100){
validate51.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/maxItems",keyword:"maxItems",params:{limit: 100}}];
return false;
}
else {
if(data6.length < 1){
validate51.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid4 = true;
const len2 = data6.length;
for(let i2=0; i2<len2; i2++){
const _errs23 = errors;
if(!(validate52(data6[i2], {instancePath:instancePath+"/or/" + i2,parentData:data6,parentDataProperty:i2,rootData}))){
vErrors = vErrors === null ? validate52.errors : vErrors.concat(validate52.errors);
errors = vErrors.length;
}
var valid4 = _errs23 === errors;
if(!valid4){
break;
}
}
}
}
}
else {
validate51.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs21 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.and !== undefined){
let data8 = data.and;
const _errs24 = errors;
if(errors === _errs24){
if(Array.isArray(data8)){
if(data8.length > 100){
validate51.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/maxItems",keyword:"maxItems",params:{limit: 100}}];
return false;
}
else {
if(data8.length < 1){
validate51.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid5 = true;
const len3 = data8.length;
for(let i3=0; i3<len3; i3++){
const _errs26 = errors;
if(!(validate52(data8[i3], {instancePath:instancePath+"/and/" + i3,parentData:data8,parentDataProperty:i3,rootData}))){
vErrors = vErrors === null ? validate52.errors : vErrors.concat(validate52.errors);
errors = vErrors.length;
}
var valid5 = _errs26 === errors;
if(!valid5){
break;
}
}
}
}
}
else {
validate51.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs24 === errors;
}
else {
var valid1 = true;
}
}
}
}
}
}
}
}
else {
validate51.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate51.errors = vErrors;
return errors === 0;
}


function validate50(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
const _errs2 = errors;
let valid0 = false;
let passing0 = null;
const _errs3 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 2){
const err0 = {instancePath,schemaPath:"#/oneOf/0/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
else {
let missing0;
if(((data.key === undefined) && (missing0 = "key")) || ((data.eq === undefined) && (missing0 = "eq"))){
const err1 = {instancePath,schemaPath:"#/oneOf/0/required",keyword:"required",params:{missingProperty: missing0}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
}
var _valid0 = _errs3 === errors;
if(_valid0){
valid0 = true;
passing0 = 0;
}
const _errs4 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 2){
const err2 = {instancePath,schemaPath:"#/oneOf/1/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
else {
let missing1;
if(((data.key === undefined) && (missing1 = "key")) || ((data.in === undefined) && (missing1 = "in"))){
const err3 = {instancePath,schemaPath:"#/oneOf/1/required",keyword:"required",params:{missingProperty: missing1}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
}
var _valid0 = _errs4 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 1];
}
else {
if(_valid0){
valid0 = true;
passing0 = 1;
}
const _errs5 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 2){
const err4 = {instancePath,schemaPath:"#/oneOf/2/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
else {
let missing2;
if(((data.key === undefined) && (missing2 = "key")) || ((data.nin === undefined) && (missing2 = "nin"))){
const err5 = {instancePath,schemaPath:"#/oneOf/2/required",keyword:"required",params:{missingProperty: missing2}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
}
var _valid0 = _errs5 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 2];
}
else {
if(_valid0){
valid0 = true;
passing0 = 2;
}
const _errs6 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 1){
const err6 = {instancePath,schemaPath:"#/oneOf/3/maxProperties",keyword:"maxProperties",params:{limit: 1}};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
else {
let missing3;
if((data.or === undefined) && (missing3 = "or")){
const err7 = {instancePath,schemaPath:"#/oneOf/3/required",keyword:"required",params:{missingProperty: missing3}};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
}
}
var _valid0 = _errs6 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 3];
}
else {
if(_valid0){
valid0 = true;
passing0 = 3;
}
const _errs7 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 1){
const err8 = {instancePath,schemaPath:"#/oneOf/4/maxProperties",keyword:"maxProperties",params:{limit: 1}};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
else {
let missing4;
if((data.and === undefined) && (missing4 = "and")){
const err9 = {instancePath,schemaPath:"#/oneOf/4/required",keyword:"required",params:{missingProperty: missing4}};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
}
}
var _valid0 = _errs7 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 4];
}
else {
if(_valid0){
valid0 = true;
passing0 = 4;
}
}
}
}
}
if(!valid0){
const err10 = {instancePath,schemaPath:"#/oneOf",keyword:"oneOf",params:{passingSchemas: passing0, comment: "must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}"}};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
validate50.errors = vErrors;
return false;
}
else {
errors = _errs2;
if(vErrors !== null){
if(_errs2){
vErrors.length = _errs2;
}
else {
vErrors = null;
}
}
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs8 = errors;
for(const key0 in data){
if(!((((((key0 === "key") || (key0 === "eq")) || (key0 === "in")) || (key0 === "nin")) || (key0 === "or")) || (key0 === "and"))){
validate50.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs8 === errors){
if(data.key !== undefined){
let data0 = data.key;
const _errs9 = errors;
if(typeof data0 !== "string"){
validate50.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!((data0 === "id") || (data0 === "ref"))){
validate50.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/enum",keyword:"enum",params:{allowedValues: schema21.properties.key.enum}}];
return false;
}
var valid1 = _errs9 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.eq !== undefined){
let data1 = data.eq;
const _errs11 = errors;
if(errors === _errs11){
if(errors === _errs11){
if(typeof data1 === "string"){
if(!(formats0(data1))){
validate50.errors = [{instancePath:instancePath+"/eq",schemaPath:"#/properties/eq/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate50.errors = [{instancePath:instancePath+"/eq",schemaPath:"#/properties/eq/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid1 = _errs11 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.in !== undefined){
let data2 = data.in;
const _errs13 = errors;
if(errors === _errs13){
if(Array.isArray(data2)){
if(data2.length > 1000){
validate50.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data2.length < 1){
validate50.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid2 = true;
const len0 = data2.length;
for(let i0=0; i0<len0; i0++){
let data3 = data2[i0];
const _errs15 = errors;
if(errors === _errs15){
if(errors === _errs15){
if(typeof data3 === "string"){
if(!(formats0(data3))){
validate50.errors = [{instancePath:instancePath+"/in/" + i0,schemaPath:"#/properties/in/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate50.errors = [{instancePath:instancePath+"/in/" + i0,schemaPath:"#/properties/in/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid2 = _errs15 === errors;
if(!valid2){
break;
}
}
}
}
}
else {
validate50.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs13 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.nin !== undefined){
let data4 = data.nin;
const _errs17 = errors;
if(errors === _errs17){
if(Array.isArray(data4)){
if(data4.length > 1000){
validate50.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data4.length < 1){
validate50.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid3 = true;
const len1 = data4.length;
for(let i1=0; i1<len1; i1++){
let data5 = data4[i1];
const _errs19 = errors;
if(errors === _errs19){
if(errors === _errs19){
if(typeof data5 === "string"){
if(!(formats0(data5))){
validate50.errors = [{instancePath:instancePath+"/nin/" + i1,schemaPath:"#/properties/nin/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate50.errors = [{instancePath:instancePath+"/nin/" + i1,schemaPath:"#/properties/nin/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid3 = _errs19 === errors;
if(!valid3){
break;
}
}
}
}
}
else {
validate50.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs17 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.or !== undefined){
let data6 = data.or;
const _errs21 = errors;
if(errors === _errs21){
if(Array.isArray(data6)){
if(data6.length > 100){
validate50.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/maxItems",keyword:"maxItems",params:{limit: 100}}];
return false;
}
else {
if(data6.length < 1){
validate50.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid4 = true;
const len2 = data6.length;
for(let i2=0; i2<len2; i2++){
const _errs23 = errors;
if(!(validate51(data6[i2], {instancePath:instancePath+"/or/" + i2,parentData:data6,parentDataProperty:i2,rootData}))){
vErrors = vErrors === null ? validate51.errors : vErrors.concat(validate51.errors);
errors = vErrors.length;
}
var valid4 = _errs23 === errors;
if(!valid4){
break;
}
}
}
}
}
else {
validate50.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs21 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.and !== undefined){
let data8 = data.and;
const _errs24 = errors;
if(errors === _errs24){
if(Array.isArray(data8)){
if(data8.length > 100){
validate50.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/maxItems",keyword:"maxItems",params:{limit: 100}}];
return false;
}
else {
if(data8.length < 1){
validate50.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid5 = true;
const len3 = data8.length;
for(let i3=0; i3<len3; i3++){
const _errs26 = errors;
if(!(validate51(data8[i3], {instancePath:instancePath+"/and/" + i3,parentData:data8,parentDataProperty:i3,rootData}))){
vErrors = vErrors === null ? validate51.errors : vErrors.concat(validate51.errors);
errors = vErrors.length;
}
var valid5 = _errs26 === errors;
if(!valid5){
break;
}
}
}
}
}
else {
validate50.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs24 === errors;
}
else {
var valid1 = true;
}
}
}
}
}
}
}
}
else {
validate50.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate50.errors = vErrors;
return errors === 0;
}


function validate48(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.member_base_id === undefined) && (missing0 = "member_base_id")){
validate48.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((key0 === "member_base_id") || (key0 === "pagination")) || (key0 === "filters"))){
validate48.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.member_base_id !== undefined){
const _errs2 = errors;
if(typeof data.member_base_id !== "string"){
validate48.errors = [{instancePath:instancePath+"/member_base_id",schemaPath:"#/properties/member_base_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.pagination !== undefined){
const _errs4 = errors;
if(!(validate23(data.pagination, {instancePath:instancePath+"/pagination",parentData:data,parentDataProperty:"pagination",rootData}))){
vErrors = vErrors === null ? validate23.errors : vErrors.concat(validate23.errors);
errors = vErrors.length;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.filters !== undefined){
let data2 = data.filters;
const _errs5 = errors;
if(errors === _errs5){
if(Array.isArray(data2)){
if(data2.length > 100){
validate48.errors = [{instancePath:instancePath+"/filters",schemaPath:"#/properties/filters/maxItems",keyword:"maxItems",params:{limit: 100}}];
return false;
}
else {
var valid1 = true;
const len0 = data2.length;
for(let i0=0; i0<len0; i0++){
const _errs7 = errors;
if(!(validate50(data2[i0], {instancePath:instancePath+"/filters/" + i0,parentData:data2,parentDataProperty:i0,rootData}))){
vErrors = vErrors === null ? validate50.errors : vErrors.concat(validate50.errors);
errors = vErrors.length;
}
var valid1 = _errs7 === errors;
if(!valid1){
break;
}
}
}
}
else {
validate48.errors = [{instancePath:instancePath+"/filters",schemaPath:"#/properties/filters/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
else {
validate48.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate48.errors = vErrors;
return errors === 0;
}

export const validate_member_bulk_delete = validate67;
const schema27 = {"type":"object","required":["member_base_id"],"properties":{"member_base_id":{"type":"string"},"member_ids":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":5000},"refs":{"type":"array","items":{"type":"string","minLength":1,"maxLength":256,"format":"printable"},"minItems":1,"maxItems":5000}},"additionalProperties":false,"$comment":"must have either member_ids or refs","oneOf":[{"required":["member_ids"]},{"required":["refs"]}]};

function validate67(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
const _errs2 = errors;
let valid0 = false;
let passing0 = null;
const _errs3 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.member_ids === undefined) && (missing0 = "member_ids")){
const err0 = {instancePath,schemaPath:"#/oneOf/0/required",keyword:"required",params:{missingProperty: missing0}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
}
var _valid0 = _errs3 === errors;
if(_valid0){
valid0 = true;
passing0 = 0;
}
const _errs4 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
let missing1;
if((data.refs === undefined) && (missing1 = "refs")){
const err1 = {instancePath,schemaPath:"#/oneOf/1/required",keyword:"required",params:{missingProperty: missing1}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
var _valid0 = _errs4 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 1];
}
else {
if(_valid0){
valid0 = true;
passing0 = 1;
}
}
if(!valid0){
const err2 = {instancePath,schemaPath:"#/oneOf",keyword:"oneOf",params:{passingSchemas: passing0, comment: "must have either member_ids or refs"}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
validate67.errors = vErrors;
return false;
}
else {
errors = _errs2;
if(vErrors !== null){
if(_errs2){
vErrors.length = _errs2;
}
else {
vErrors = null;
}
}
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing2;
if((data.member_base_id === undefined) && (missing2 = "member_base_id")){
validate67.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing2}}];
return false;
}
else {
const _errs5 = errors;
for(const key0 in data){
if(!(((key0 === "member_base_id") || (key0 === "member_ids")) || (key0 === "refs"))){
validate67.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs5 === errors){
if(data.member_base_id !== undefined){
const _errs6 = errors;
if(typeof data.member_base_id !== "string"){
validate67.errors = [{instancePath:instancePath+"/member_base_id",schemaPath:"#/properties/member_base_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid1 = _errs6 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.member_ids !== undefined){
let data1 = data.member_ids;
const _errs8 = errors;
if(errors === _errs8){
if(Array.isArray(data1)){
if(data1.length > 5000){
validate67.errors = [{instancePath:instancePath+"/member_ids",schemaPath:"#/properties/member_ids/maxItems",keyword:"maxItems",params:{limit: 5000}}];
return false;
}
else {
if(data1.length < 1){
validate67.errors = [{instancePath:instancePath+"/member_ids",schemaPath:"#/properties/member_ids/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid2 = true;
const len0 = data1.length;
for(let i0=0; i0<len0; i0++){
const _errs10 = errors;
if(typeof data1[i0] !== "string"){
validate67.errors = [{instancePath:instancePath+"/member_ids/" + i0,schemaPath:"#/properties/member_ids/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid2 = _errs10 === errors;
if(!valid2){
break;
}
}
}
}
}
else {
validate67.errors = [{instancePath:instancePath+"/member_ids",schemaPath:"#/properties/member_ids/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs8 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.refs !== undefined){
let data3 = data.refs;
const _errs12 = errors;
if(errors === _errs12){
if(Array.isArray(data3)){
if(data3.length > 5000){
validate67.errors = [{instancePath:instancePath+"/refs",schemaPath:"#/properties/refs/maxItems",keyword:"maxItems",params:{limit: 5000}}];
return false;
}
else {
if(data3.length < 1){
validate67.errors = [{instancePath:instancePath+"/refs",schemaPath:"#/properties/refs/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid3 = true;
const len1 = data3.length;
for(let i1=0; i1<len1; i1++){
let data4 = data3[i1];
const _errs14 = errors;
if(errors === _errs14){
if(errors === _errs14){
if(typeof data4 === "string"){
if(func2(data4) > 256){
validate67.errors = [{instancePath:instancePath+"/refs/" + i1,schemaPath:"#/properties/refs/items/maxLength",keyword:"maxLength",params:{limit: 256}}];
return false;
}
else {
if(func2(data4) < 1){
validate67.errors = [{instancePath:instancePath+"/refs/" + i1,schemaPath:"#/properties/refs/items/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats4(data4))){
validate67.errors = [{instancePath:instancePath+"/refs/" + i1,schemaPath:"#/properties/refs/items/format",keyword:"format",params:{format: "printable"}}];
return false;
}
}
}
}
else {
validate67.errors = [{instancePath:instancePath+"/refs/" + i1,schemaPath:"#/properties/refs/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid3 = _errs14 === errors;
if(!valid3){
break;
}
}
}
}
}
else {
validate67.errors = [{instancePath:instancePath+"/refs",schemaPath:"#/properties/refs/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs12 === errors;
}
else {
var valid1 = true;
}
}
}
}
}
}
else {
validate67.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate67.errors = vErrors;
return errors === 0;
}

export const validate_member_bulk_upsert = validate68;
const schema28 = {"type":"object","required":["member_base_id","members"],"properties":{"member_base_id":{"type":"string"},"members":{"type":"array","items":{"type":"object","required":["ref"],"properties":{"ref":{"type":"string","minLength":1,"maxLength":256,"format":"printable"},"attributes":{"type":"object","maxProperties":64,"propertyNames":{"type":"string","minLength":1,"maxLength":256,"format":"printable"},"additionalProperties":{"type":["string","number","boolean","null","array"],"format":"storable","items":{"type":"string","format":"storable"}}}},"additionalProperties":false},"minItems":1,"maxItems":5000}},"additionalProperties":false};

function validate68(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.member_base_id === undefined) && (missing0 = "member_base_id")) || ((data.members === undefined) && (missing0 = "members"))){
validate68.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "member_base_id") || (key0 === "members"))){
validate68.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.member_base_id !== undefined){
const _errs2 = errors;
if(typeof data.member_base_id !== "string"){
validate68.errors = [{instancePath:instancePath+"/member_base_id",schemaPath:"#/properties/member_base_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.members !== undefined){
let data1 = data.members;
const _errs4 = errors;
if(errors === _errs4){
if(Array.isArray(data1)){
if(data1.length > 5000){
validate68.errors = [{instancePath:instancePath+"/members",schemaPath:"#/properties/members/maxItems",keyword:"maxItems",params:{limit: 5000}}];
return false;
}
else {
if(data1.length < 1){
validate68.errors = [{instancePath:instancePath+"/members",schemaPath:"#/properties/members/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid1 = true;
const len0 = data1.length;
for(let i0=0; i0<len0; i0++){
let data2 = data1[i0];
const _errs6 = errors;
if(errors === _errs6){
if(data2 && typeof data2 == "object" && !Array.isArray(data2)){
let missing1;
if((data2.ref === undefined) && (missing1 = "ref")){
validate68.errors = [{instancePath:instancePath+"/members/" + i0,schemaPath:"#/properties/members/items/required",keyword:"required",params:{missingProperty: missing1}}];
return false;
}
else {
const _errs8 = errors;
for(const key1 in data2){
if(!((key1 === "ref") || (key1 === "attributes"))){
validate68.errors = [{instancePath:instancePath+"/members/" + i0,schemaPath:"#/properties/members/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
return false;
break;
}
}
if(_errs8 === errors){
if(data2.ref !== undefined){
let data3 = data2.ref;
const _errs9 = errors;
if(errors === _errs9){
if(errors === _errs9){
if(typeof data3 === "string"){
if(func2(data3) > 256){
validate68.errors = [{instancePath:instancePath+"/members/" + i0+"/ref",schemaPath:"#/properties/members/items/properties/ref/maxLength",keyword:"maxLength",params:{limit: 256}}];
return false;
}
else {
if(func2(data3) < 1){
validate68.errors = [{instancePath:instancePath+"/members/" + i0+"/ref",schemaPath:"#/properties/members/items/properties/ref/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats4(data3))){
validate68.errors = [{instancePath:instancePath+"/members/" + i0+"/ref",schemaPath:"#/properties/members/items/properties/ref/format",keyword:"format",params:{format: "printable"}}];
return false;
}
}
}
}
else {
validate68.errors = [{instancePath:instancePath+"/members/" + i0+"/ref",schemaPath:"#/properties/members/items/properties/ref/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid2 = _errs9 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data2.attributes !== undefined){
let data4 = data2.attributes;
const _errs11 = errors;
if(errors === _errs11){
if(data4 && typeof data4 == "object" && !Array.isArray(data4)){
if(Object.keys(data4).length > 64){
validate68.errors = [{instancePath:instancePath+"/members/" + i0+"/attributes",schemaPath:"#/properties/members/items/properties/attributes/maxProperties",keyword:"maxProperties",params:{limit: 64}}];
return false;
}
else {
for(const key2 in data4){
const _errs13 = errors;
if(errors === _errs13){
if(errors === _errs13){
if(typeof key2 === "string"){
if(func2(key2) > 256){
const err0 = {instancePath:instancePath+"/members/" + i0+"/attributes",schemaPath:"#/properties/members/items/properties/attributes/propertyNames/maxLength",keyword:"maxLength",params:{limit: 256},propertyName:key2};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
else {
if(func2(key2) < 1){
const err1 = {instancePath:instancePath+"/members/" + i0+"/attributes",schemaPath:"#/properties/members/items/properties/attributes/propertyNames/minLength",keyword:"minLength",params:{limit: 1},propertyName:key2};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
else {
if(!(formats4(key2))){
const err2 = {instancePath:instancePath+"/members/" + i0+"/attributes",schemaPath:"#/properties/members/items/properties/attributes/propertyNames/format",keyword:"format",params:{format: "printable"},propertyName:key2};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
}
}
}
else {
const err3 = {instancePath:instancePath+"/members/" + i0+"/attributes",schemaPath:"#/properties/members/items/properties/attributes/propertyNames/type",keyword:"type",params:{type: "string"},propertyName:key2};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
}
var valid3 = _errs13 === errors;
if(!valid3){
const err4 = {instancePath:instancePath+"/members/" + i0+"/attributes",schemaPath:"#/properties/members/items/properties/attributes/propertyNames",keyword:"propertyNames",params:{propertyName: key2}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
validate68.errors = vErrors;
return false;
break;
}
}
if(valid3){
for(const key3 in data4){
let data5 = data4[key3];
const _errs16 = errors;
if(((((typeof data5 !== "string") && (!((typeof data5 == "number") && (isFinite(data5))))) && (typeof data5 !== "boolean")) && (data5 !== null)) && (!(Array.isArray(data5)))){
validate68.errors = [{instancePath:instancePath+"/members/" + i0+"/attributes/" + key3.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/members/items/properties/attributes/additionalProperties/type",keyword:"type",params:{type: schema28.properties.members.items.properties.attributes.additionalProperties.type}}];
return false;
}
if(errors === _errs16){
if(errors === _errs16){
if(typeof data5 === "string"){
if(!(formats0(data5))){
validate68.errors = [{instancePath:instancePath+"/members/" + i0+"/attributes/" + key3.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/members/items/properties/attributes/additionalProperties/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
if(errors === _errs16){
if(Array.isArray(data5)){
var valid5 = true;
const len1 = data5.length;
for(let i1=0; i1<len1; i1++){
let data6 = data5[i1];
const _errs18 = errors;
if(errors === _errs18){
if(errors === _errs18){
if(typeof data6 === "string"){
if(!(formats0(data6))){
validate68.errors = [{instancePath:instancePath+"/members/" + i0+"/attributes/" + key3.replace(/~/g, "~0").replace(/\//g, "~1")+"/" + i1,schemaPath:"#/properties/members/items/properties/attributes/additionalProperties/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate68.errors = [{instancePath:instancePath+"/members/" + i0+"/attributes/" + key3.replace(/~/g, "~0").replace(/\//g, "~1")+"/" + i1,schemaPath:"#/properties/members/items/properties/attributes/additionalProperties/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid5 = _errs18 === errors;
if(!valid5){
break;
}
}
}
}
}
}
var valid4 = _errs16 === errors;
if(!valid4){
break;
}
}
}
}
}
else {
validate68.errors = [{instancePath:instancePath+"/members/" + i0+"/attributes",schemaPath:"#/properties/members/items/properties/attributes/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid2 = _errs11 === errors;
}
else {
var valid2 = true;
}
}
}
}
}
else {
validate68.errors = [{instancePath:instancePath+"/members/" + i0,schemaPath:"#/properties/members/items/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid1 = _errs6 === errors;
if(!valid1){
break;
}
}
}
}
}
else {
validate68.errors = [{instancePath:instancePath+"/members",schemaPath:"#/properties/members/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate68.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate68.errors = vErrors;
return errors === 0;
}

export const validate_member_get = validate69;
const schema29 = {"type":"object","additionalProperties":false,"properties":{"id":{"type":"string"},"member_base_id":{"type":"string"},"ref":{"type":"string","minLength":1,"maxLength":256,"format":"printable"}},"$comment":"must have either id, or member_base_id and ref","oneOf":[{"required":["id"],"maxProperties":1},{"required":["member_base_id","ref"],"maxProperties":2}]};

function validate69(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
const _errs2 = errors;
let valid0 = false;
let passing0 = null;
const _errs3 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 1){
const err0 = {instancePath,schemaPath:"#/oneOf/0/maxProperties",keyword:"maxProperties",params:{limit: 1}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
else {
let missing0;
if((data.id === undefined) && (missing0 = "id")){
const err1 = {instancePath,schemaPath:"#/oneOf/0/required",keyword:"required",params:{missingProperty: missing0}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
}
var _valid0 = _errs3 === errors;
if(_valid0){
valid0 = true;
passing0 = 0;
}
const _errs4 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 2){
const err2 = {instancePath,schemaPath:"#/oneOf/1/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
else {
let missing1;
if(((data.member_base_id === undefined) && (missing1 = "member_base_id")) || ((data.ref === undefined) && (missing1 = "ref"))){
const err3 = {instancePath,schemaPath:"#/oneOf/1/required",keyword:"required",params:{missingProperty: missing1}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
}
var _valid0 = _errs4 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 1];
}
else {
if(_valid0){
valid0 = true;
passing0 = 1;
}
}
if(!valid0){
const err4 = {instancePath,schemaPath:"#/oneOf",keyword:"oneOf",params:{passingSchemas: passing0, comment: "must have either id, or member_base_id and ref"}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
validate69.errors = vErrors;
return false;
}
else {
errors = _errs2;
if(vErrors !== null){
if(_errs2){
vErrors.length = _errs2;
}
else {
vErrors = null;
}
}
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs5 = errors;
for(const key0 in data){
if(!(((key0 === "id") || (key0 === "member_base_id")) || (key0 === "ref"))){
validate69.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs5 === errors){
if(data.id !== undefined){
const _errs6 = errors;
if(typeof data.id !== "string"){
validate69.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid1 = _errs6 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.member_base_id !== undefined){
const _errs8 = errors;
if(typeof data.member_base_id !== "string"){
validate69.errors = [{instancePath:instancePath+"/member_base_id",schemaPath:"#/properties/member_base_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid1 = _errs8 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.ref !== undefined){
let data2 = data.ref;
const _errs10 = errors;
if(errors === _errs10){
if(errors === _errs10){
if(typeof data2 === "string"){
if(func2(data2) > 256){
validate69.errors = [{instancePath:instancePath+"/ref",schemaPath:"#/properties/ref/maxLength",keyword:"maxLength",params:{limit: 256}}];
return false;
}
else {
if(func2(data2) < 1){
validate69.errors = [{instancePath:instancePath+"/ref",schemaPath:"#/properties/ref/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats4(data2))){
validate69.errors = [{instancePath:instancePath+"/ref",schemaPath:"#/properties/ref/format",keyword:"format",params:{format: "printable"}}];
return false;
}
}
}
}
else {
validate69.errors = [{instancePath:instancePath+"/ref",schemaPath:"#/properties/ref/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid1 = _errs10 === errors;
}
else {
var valid1 = true;
}
}
}
}
}
else {
validate69.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate69.errors = vErrors;
return errors === 0;
}

export const validate_member_find = validate70;
const schema30 = {"type":"object","required":["ref"],"properties":{"ref":{"type":"string","minLength":1,"maxLength":256,"format":"printable"},"pagination":{"$ref":"shared_1"}},"additionalProperties":false};

function validate70(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.ref === undefined) && (missing0 = "ref")){
validate70.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "ref") || (key0 === "pagination"))){
validate70.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.ref !== undefined){
let data0 = data.ref;
const _errs2 = errors;
if(errors === _errs2){
if(errors === _errs2){
if(typeof data0 === "string"){
if(func2(data0) > 256){
validate70.errors = [{instancePath:instancePath+"/ref",schemaPath:"#/properties/ref/maxLength",keyword:"maxLength",params:{limit: 256}}];
return false;
}
else {
if(func2(data0) < 1){
validate70.errors = [{instancePath:instancePath+"/ref",schemaPath:"#/properties/ref/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats4(data0))){
validate70.errors = [{instancePath:instancePath+"/ref",schemaPath:"#/properties/ref/format",keyword:"format",params:{format: "printable"}}];
return false;
}
}
}
}
else {
validate70.errors = [{instancePath:instancePath+"/ref",schemaPath:"#/properties/ref/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.pagination !== undefined){
const _errs4 = errors;
if(!(validate23(data.pagination, {instancePath:instancePath+"/pagination",parentData:data,parentDataProperty:"pagination",rootData}))){
vErrors = vErrors === null ? validate23.errors : vErrors.concat(validate23.errors);
errors = vErrors.length;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate70.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate70.errors = vErrors;
return errors === 0;
}

export const validate_id_resolve = validate72;
const schema31 = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};

function validate72(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.id === undefined) && (missing0 = "id")){
validate72.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "id")){
validate72.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
if(typeof data.id !== "string"){
validate72.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
}
}
else {
validate72.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate72.errors = vErrors;
return errors === 0;
}

export const validate_transaction_batch_get = validate73;
const schema32 = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};

function validate73(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.id === undefined) && (missing0 = "id")){
validate73.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "id")){
validate73.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
if(typeof data.id !== "string"){
validate73.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
}
}
else {
validate73.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate73.errors = vErrors;
return errors === 0;
}

export const validate_transaction_rejection_list = validate74;
const schema33 = {"type":"object","properties":{"external_id":{"type":"string","minLength":1,"maxLength":128,"format":"printable"},"member_id":{"type":"string"},"since":{"type":"string","format":"timestamp","description":"Rejected at this time or later."},"until":{"type":"string","format":"timestamp","description":"Rejected before this time."},"pagination":{"$ref":"shared_1"}},"additionalProperties":false};

function validate74(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!(((((key0 === "external_id") || (key0 === "member_id")) || (key0 === "since")) || (key0 === "until")) || (key0 === "pagination"))){
validate74.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.external_id !== undefined){
let data0 = data.external_id;
const _errs2 = errors;
if(errors === _errs2){
if(errors === _errs2){
if(typeof data0 === "string"){
if(func2(data0) > 128){
validate74.errors = [{instancePath:instancePath+"/external_id",schemaPath:"#/properties/external_id/maxLength",keyword:"maxLength",params:{limit: 128}}];
return false;
}
else {
if(func2(data0) < 1){
validate74.errors = [{instancePath:instancePath+"/external_id",schemaPath:"#/properties/external_id/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats4(data0))){
validate74.errors = [{instancePath:instancePath+"/external_id",schemaPath:"#/properties/external_id/format",keyword:"format",params:{format: "printable"}}];
return false;
}
}
}
}
else {
validate74.errors = [{instancePath:instancePath+"/external_id",schemaPath:"#/properties/external_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.member_id !== undefined){
const _errs4 = errors;
if(typeof data.member_id !== "string"){
validate74.errors = [{instancePath:instancePath+"/member_id",schemaPath:"#/properties/member_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.since !== undefined){
let data2 = data.since;
const _errs6 = errors;
if(errors === _errs6){
if(errors === _errs6){
if(typeof data2 === "string"){
if(!(formats2(data2))){
validate74.errors = [{instancePath:instancePath+"/since",schemaPath:"#/properties/since/format",keyword:"format",params:{format: "timestamp"}}];
return false;
}
}
else {
validate74.errors = [{instancePath:instancePath+"/since",schemaPath:"#/properties/since/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.until !== undefined){
let data3 = data.until;
const _errs8 = errors;
if(errors === _errs8){
if(errors === _errs8){
if(typeof data3 === "string"){
if(!(formats2(data3))){
validate74.errors = [{instancePath:instancePath+"/until",schemaPath:"#/properties/until/format",keyword:"format",params:{format: "timestamp"}}];
return false;
}
}
else {
validate74.errors = [{instancePath:instancePath+"/until",schemaPath:"#/properties/until/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.pagination !== undefined){
const _errs10 = errors;
if(!(validate23(data.pagination, {instancePath:instancePath+"/pagination",parentData:data,parentDataProperty:"pagination",rootData}))){
vErrors = vErrors === null ? validate23.errors : vErrors.concat(validate23.errors);
errors = vErrors.length;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
else {
validate74.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate74.errors = vErrors;
return errors === 0;
}

export const validate_transaction_list = validate76;
const schema34 = {"type":"object","required":["member_id"],"properties":{"member_id":{"type":"string"},"state":{"enum":["authorized","cleared","reverted"]},"since":{"type":"string","format":"timestamp","description":"Authorized at this time or later."},"until":{"type":"string","format":"timestamp","description":"Authorized before this time."},"pagination":{"$ref":"shared_1"}},"additionalProperties":false};

function validate76(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.member_id === undefined) && (missing0 = "member_id")){
validate76.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((((key0 === "member_id") || (key0 === "state")) || (key0 === "since")) || (key0 === "until")) || (key0 === "pagination"))){
validate76.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.member_id !== undefined){
const _errs2 = errors;
if(typeof data.member_id !== "string"){
validate76.errors = [{instancePath:instancePath+"/member_id",schemaPath:"#/properties/member_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.state !== undefined){
let data1 = data.state;
const _errs4 = errors;
if(!(((data1 === "authorized") || (data1 === "cleared")) || (data1 === "reverted"))){
validate76.errors = [{instancePath:instancePath+"/state",schemaPath:"#/properties/state/enum",keyword:"enum",params:{allowedValues: schema34.properties.state.enum}}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.since !== undefined){
let data2 = data.since;
const _errs5 = errors;
if(errors === _errs5){
if(errors === _errs5){
if(typeof data2 === "string"){
if(!(formats2(data2))){
validate76.errors = [{instancePath:instancePath+"/since",schemaPath:"#/properties/since/format",keyword:"format",params:{format: "timestamp"}}];
return false;
}
}
else {
validate76.errors = [{instancePath:instancePath+"/since",schemaPath:"#/properties/since/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.until !== undefined){
let data3 = data.until;
const _errs7 = errors;
if(errors === _errs7){
if(errors === _errs7){
if(typeof data3 === "string"){
if(!(formats2(data3))){
validate76.errors = [{instancePath:instancePath+"/until",schemaPath:"#/properties/until/format",keyword:"format",params:{format: "timestamp"}}];
return false;
}
}
else {
validate76.errors = [{instancePath:instancePath+"/until",schemaPath:"#/properties/until/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.pagination !== undefined){
const _errs9 = errors;
if(!(validate23(data.pagination, {instancePath:instancePath+"/pagination",parentData:data,parentDataProperty:"pagination",rootData}))){
vErrors = vErrors === null ? validate23.errors : vErrors.concat(validate23.errors);
errors = vErrors.length;
}
var valid0 = _errs9 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
else {
validate76.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate76.errors = vErrors;
return errors === 0;
}

export const validate_transaction_export = validate78;
const schema35 = {"type":"object","properties":{"since":{"type":"string","format":"timestamp","description":"Authorized at this time or later."},"until":{"type":"string","format":"timestamp","description":"Authorized before this time."},"pagination":{"$ref":"shared_1"}},"additionalProperties":false};

function validate78(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!(((key0 === "since") || (key0 === "until")) || (key0 === "pagination"))){
validate78.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.since !== undefined){
let data0 = data.since;
const _errs2 = errors;
if(errors === _errs2){
if(errors === _errs2){
if(typeof data0 === "string"){
if(!(formats2(data0))){
validate78.errors = [{instancePath:instancePath+"/since",schemaPath:"#/properties/since/format",keyword:"format",params:{format: "timestamp"}}];
return false;
}
}
else {
validate78.errors = [{instancePath:instancePath+"/since",schemaPath:"#/properties/since/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.until !== undefined){
let data1 = data.until;
const _errs4 = errors;
if(errors === _errs4){
if(errors === _errs4){
if(typeof data1 === "string"){
if(!(formats2(data1))){
validate78.errors = [{instancePath:instancePath+"/until",schemaPath:"#/properties/until/format",keyword:"format",params:{format: "timestamp"}}];
return false;
}
}
else {
validate78.errors = [{instancePath:instancePath+"/until",schemaPath:"#/properties/until/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.pagination !== undefined){
const _errs6 = errors;
if(!(validate23(data.pagination, {instancePath:instancePath+"/pagination",parentData:data,parentDataProperty:"pagination",rootData}))){
vErrors = vErrors === null ? validate23.errors : vErrors.concat(validate23.errors);
errors = vErrors.length;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate78.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate78.errors = vErrors;
return errors === 0;
}

export const validate_transaction_get = validate80;
const schema36 = {"type":"object","required":["external_id"],"properties":{"external_id":{"type":"string","minLength":1,"maxLength":128,"format":"printable"}},"additionalProperties":false};

function validate80(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.external_id === undefined) && (missing0 = "external_id")){
validate80.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "external_id")){
validate80.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.external_id !== undefined){
let data0 = data.external_id;
const _errs2 = errors;
if(errors === _errs2){
if(errors === _errs2){
if(typeof data0 === "string"){
if(func2(data0) > 128){
validate80.errors = [{instancePath:instancePath+"/external_id",schemaPath:"#/properties/external_id/maxLength",keyword:"maxLength",params:{limit: 128}}];
return false;
}
else {
if(func2(data0) < 1){
validate80.errors = [{instancePath:instancePath+"/external_id",schemaPath:"#/properties/external_id/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats4(data0))){
validate80.errors = [{instancePath:instancePath+"/external_id",schemaPath:"#/properties/external_id/format",keyword:"format",params:{format: "printable"}}];
return false;
}
}
}
}
else {
validate80.errors = [{instancePath:instancePath+"/external_id",schemaPath:"#/properties/external_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
}
}
}
}
else {
validate80.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate80.errors = vErrors;
return errors === 0;
}

export const validate_transaction_trace = validate81;
const schema37 = {"type":"object","required":["external_id"],"properties":{"external_id":{"type":"string","minLength":1,"maxLength":128,"format":"printable"}},"additionalProperties":false};

function validate81(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.external_id === undefined) && (missing0 = "external_id")){
validate81.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "external_id")){
validate81.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.external_id !== undefined){
let data0 = data.external_id;
const _errs2 = errors;
if(errors === _errs2){
if(errors === _errs2){
if(typeof data0 === "string"){
if(func2(data0) > 128){
validate81.errors = [{instancePath:instancePath+"/external_id",schemaPath:"#/properties/external_id/maxLength",keyword:"maxLength",params:{limit: 128}}];
return false;
}
else {
if(func2(data0) < 1){
validate81.errors = [{instancePath:instancePath+"/external_id",schemaPath:"#/properties/external_id/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats4(data0))){
validate81.errors = [{instancePath:instancePath+"/external_id",schemaPath:"#/properties/external_id/format",keyword:"format",params:{format: "printable"}}];
return false;
}
}
}
}
else {
validate81.errors = [{instancePath:instancePath+"/external_id",schemaPath:"#/properties/external_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
}
}
}
}
else {
validate81.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate81.errors = vErrors;
return errors === 0;
}

export const validate_transaction_ingest = validate82;
const schema38 = {"type":"object","required":["events"],"properties":{"events":{"type":"array","items":{"type":"object","required":["member_id","external_id","auth_code","network","bin","merchant_id","authed_at"],"properties":{"member_id":{"type":"string"},"external_id":{"type":"string","minLength":1,"maxLength":128,"format":"printable"},"auth_code":{"type":"string","minLength":1,"maxLength":32,"format":"card-free"},"network":{"enum":["visa","mastercard","amex","other"]},"bin":{"type":"string","pattern":"^[0-9]{6,8}$"},"merchant_id":{"type":"string","minLength":1,"maxLength":64,"format":"printable"},"statement_descriptor":{"type":"string","maxLength":128,"format":"card-free"},"amount":{"type":"integer","minimum":0,"maximum":9007199254740991},"currency":{"type":"string","format":"currency"},"authed_at":{"type":"string","format":"timestamp"},"cleared_at":{"type":"string","format":"timestamp"},"reverted_at":{"type":"string","format":"timestamp"}},"additionalProperties":false,"not":{"type":"object","properties":{"cleared_at":{},"reverted_at":{}},"required":["cleared_at","reverted_at"]}},"minItems":1,"maxItems":5000}},"additionalProperties":false};
const func22 = Object.prototype.hasOwnProperty;
const formats112 = FORMAT_TESTS["card-free"];
const formats118 = FORMAT_TESTS.currency;
const pattern0 = new RegExp("^[0-9]{6,8}$", "u");

function validate82(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.events === undefined) && (missing0 = "events")){
validate82.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "events")){
validate82.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.events !== undefined){
let data0 = data.events;
const _errs2 = errors;
if(errors === _errs2){
if(Array.isArray(data0)){
if(data0.length > 5000){
validate82.errors = [{instancePath:instancePath+"/events",schemaPath:"#/properties/events/maxItems",keyword:"maxItems",params:{limit: 5000}}];
return false;
}
else {
if(data0.length < 1){
validate82.errors = [{instancePath:instancePath+"/events",schemaPath:"#/properties/events/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid1 = true;
const len0 = data0.length;
for(let i0=0; i0<len0; i0++){
let data1 = data0[i0];
const _errs4 = errors;
const _errs6 = errors;
const _errs7 = errors;
if(errors === _errs7){
if(data1 && typeof data1 == "object" && !Array.isArray(data1)){
let missing1;
if(((data1.cleared_at === undefined) && (missing1 = "cleared_at")) || ((data1.reverted_at === undefined) && (missing1 = "reverted_at"))){
const err0 = {};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
}
else {
const err1 = {};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
var valid2 = _errs7 === errors;
if(valid2){
validate82.errors = [{instancePath:instancePath+"/events/" + i0,schemaPath:"#/properties/events/items/not",keyword:"not",params:{}}];
return false;
}
else {
errors = _errs6;
if(vErrors !== null){
if(_errs6){
vErrors.length = _errs6;
}
else {
vErrors = null;
}
}
}
if(errors === _errs4){
if(data1 && typeof data1 == "object" && !Array.isArray(data1)){
let missing2;
if((((((((data1.member_id === undefined) && (missing2 = "member_id")) || ((data1.external_id === undefined) && (missing2 = "external_id"))) || ((data1.auth_code === undefined) && (missing2 = "auth_code"))) || ((data1.network === undefined) && (missing2 = "network"))) || ((data1.bin === undefined) && (missing2 = "bin"))) || ((data1.merchant_id === undefined) && (missing2 = "merchant_id"))) || ((data1.authed_at === undefined) && (missing2 = "authed_at"))){
validate82.errors = [{instancePath:instancePath+"/events/" + i0,schemaPath:"#/properties/events/items/required",keyword:"required",params:{missingProperty: missing2}}];
return false;
}
else {
const _errs9 = errors;
for(const key1 in data1){
if(!(func22.call(schema38.properties.events.items.properties, key1))){
validate82.errors = [{instancePath:instancePath+"/events/" + i0,schemaPath:"#/properties/events/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
return false;
break;
}
}
if(_errs9 === errors){
if(data1.member_id !== undefined){
const _errs10 = errors;
if(typeof data1.member_id !== "string"){
validate82.errors = [{instancePath:instancePath+"/events/" + i0+"/member_id",schemaPath:"#/properties/events/items/properties/member_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid3 = _errs10 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data1.external_id !== undefined){
let data3 = data1.external_id;
const _errs12 = errors;
if(errors === _errs12){
if(errors === _errs12){
if(typeof data3 === "string"){
if(func2(data3) > 128){
validate82.errors = [{instancePath:instancePath+"/events/" + i0+"/external_id",schemaPath:"#/properties/events/items/properties/external_id/maxLength",keyword:"maxLength",params:{limit: 128}}];
return false;
}
else {
if(func2(data3) < 1){
validate82.errors = [{instancePath:instancePath+"/events/" + i0+"/external_id",schemaPath:"#/properties/events/items/properties/external_id/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats4(data3))){
validate82.errors = [{instancePath:instancePath+"/events/" + i0+"/external_id",schemaPath:"#/properties/events/items/properties/external_id/format",keyword:"format",params:{format: "printable"}}];
return false;
}
}
}
}
else {
validate82.errors = [{instancePath:instancePath+"/events/" + i0+"/external_id",schemaPath:"#/properties/events/items/properties/external_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid3 = _errs12 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data1.auth_code !== undefined){
let data4 = data1.auth_code;
const _errs14 = errors;
if(errors === _errs14){
if(errors === _errs14){
if(typeof data4 === "string"){
if(func2(data4) > 32){
validate82.errors = [{instancePath:instancePath+"/events/" + i0+"/auth_code",schemaPath:"#/properties/events/items/properties/auth_code/maxLength",keyword:"maxLength",params:{limit: 32}}];
return false;
}
else {
if(func2(data4) < 1){
validate82.errors = [{instancePath:instancePath+"/events/" + i0+"/auth_code",schemaPath:"#/properties/events/items/properties/auth_code/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats112(data4))){
validate82.errors = [{instancePath:instancePath+"/events/" + i0+"/auth_code",schemaPath:"#/properties/events/items/properties/auth_code/format",keyword:"format",params:{format: "card-free"}}];
return false;
}
}
}
}
else {
validate82.errors = [{instancePath:instancePath+"/events/" + i0+"/auth_code",schemaPath:"#/properties/events/items/properties/auth_code/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid3 = _errs14 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data1.network !== undefined){
let data5 = data1.network;
const _errs16 = errors;
if(!((((data5 === "visa") || (data5 === "mastercard")) || (data5 === "amex")) || (data5 === "other"))){
validate82.errors = [{instancePath:instancePath+"/events/" + i0+"/network",schemaPath:"#/properties/events/items/properties/network/enum",keyword:"enum",params:{allowedValues: schema38.properties.events.items.properties.network.enum}}];
return false;
}
var valid3 = _errs16 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data1.bin !== undefined){
let data6 = data1.bin;
const _errs17 = errors;
if(errors === _errs17){
if(typeof data6 === "string"){
if(!pattern0.test(data6)){
validate82.errors = [{instancePath:instancePath+"/events/" + i0+"/bin",schemaPath:"#/properties/events/items/properties/bin/pattern",keyword:"pattern",params:{pattern: "^[0-9]{6,8}$"}}];
return false;
}
}
else {
validate82.errors = [{instancePath:instancePath+"/events/" + i0+"/bin",schemaPath:"#/properties/events/items/properties/bin/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid3 = _errs17 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data1.merchant_id !== undefined){
let data7 = data1.merchant_id;
const _errs19 = errors;
if(errors === _errs19){
if(errors === _errs19){
if(typeof data7 === "string"){
if(func2(data7) > 64){
validate82.errors = [{instancePath:instancePath+"/events/" + i0+"/merchant_id",schemaPath:"#/properties/events/items/properties/merchant_id/maxLength",keyword:"maxLength",params:{limit: 64}}];
return false;
}
else {
if(func2(data7) < 1){
validate82.errors = [{instancePath:instancePath+"/events/" + i0+"/merchant_id",schemaPath:"#/properties/events/items/properties/merchant_id/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats4(data7))){
validate82.errors = [{instancePath:instancePath+"/events/" + i0+"/merchant_id",schemaPath:"#/properties/events/items/properties/merchant_id/format",keyword:"format",params:{format: "printable"}}];
return false;
}
}
}
}
else {
validate82.errors = [{instancePath:instancePath+"/events/" + i0+"/merchant_id",schemaPath:"#/properties/events/items/properties/merchant_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid3 = _errs19 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data1.statement_descriptor !== undefined){
let data8 = data1.statement_descriptor;
const _errs21 = errors;
if(errors === _errs21){
if(errors === _errs21){
if(typeof data8 === "string"){
if(func2(data8) > 128){
validate82.errors = [{instancePath:instancePath+"/events/" + i0+"/statement_descriptor",schemaPath:"#/properties/events/items/properties/statement_descriptor/maxLength",keyword:"maxLength",params:{limit: 128}}];
return false;
}
else {
if(!(formats112(data8))){
validate82.errors = [{instancePath:instancePath+"/events/" + i0+"/statement_descriptor",schemaPath:"#/properties/events/items/properties/statement_descriptor/format",keyword:"format",params:{format: "card-free"}}];
return false;
}
}
}
else {
validate82.errors = [{instancePath:instancePath+"/events/" + i0+"/statement_descriptor",schemaPath:"#/properties/events/items/properties/statement_descriptor/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid3 = _errs21 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data1.amount !== undefined){
let data9 = data1.amount;
const _errs23 = errors;
if(!(((typeof data9 == "number") && (!(data9 % 1) && !isNaN(data9))) && (isFinite(data9)))){
validate82.errors = [{instancePath:instancePath+"/events/" + i0+"/amount",schemaPath:"#/properties/events/items/properties/amount/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs23){
if((typeof data9 == "number") && (isFinite(data9))){
if(data9 > 9007199254740991 || isNaN(data9)){
validate82.errors = [{instancePath:instancePath+"/events/" + i0+"/amount",schemaPath:"#/properties/events/items/properties/amount/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991}}];
return false;
}
else {
if(data9 < 0 || isNaN(data9)){
validate82.errors = [{instancePath:instancePath+"/events/" + i0+"/amount",schemaPath:"#/properties/events/items/properties/amount/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}}];
return false;
}
}
}
}
var valid3 = _errs23 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data1.currency !== undefined){
let data10 = data1.currency;
const _errs25 = errors;
if(errors === _errs25){
if(errors === _errs25){
if(typeof data10 === "string"){
if(!(formats118(data10))){
validate82.errors = [{instancePath:instancePath+"/events/" + i0+"/currency",schemaPath:"#/properties/events/items/properties/currency/format",keyword:"format",params:{format: "currency"}}];
return false;
}
}
else {
validate82.errors = [{instancePath:instancePath+"/events/" + i0+"/currency",schemaPath:"#/properties/events/items/properties/currency/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid3 = _errs25 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data1.authed_at !== undefined){
let data11 = data1.authed_at;
const _errs27 = errors;
if(errors === _errs27){
if(errors === _errs27){
if(typeof data11 === "string"){
if(!(formats2(data11))){
validate82.errors = [{instancePath:instancePath+"/events/" + i0+"/authed_at",schemaPath:"#/properties/events/items/properties/authed_at/format",keyword:"format",params:{format: "timestamp"}}];
return false;
}
}
else {
validate82.errors = [{instancePath:instancePath+"/events/" + i0+"/authed_at",schemaPath:"#/properties/events/items/properties/authed_at/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid3 = _errs27 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data1.cleared_at !== undefined){
let data12 = data1.cleared_at;
const _errs29 = errors;
if(errors === _errs29){
if(errors === _errs29){
if(typeof data12 === "string"){
if(!(formats2(data12))){
validate82.errors = [{instancePath:instancePath+"/events/" + i0+"/cleared_at",schemaPath:"#/properties/events/items/properties/cleared_at/format",keyword:"format",params:{format: "timestamp"}}];
return false;
}
}
else {
validate82.errors = [{instancePath:instancePath+"/events/" + i0+"/cleared_at",schemaPath:"#/properties/events/items/properties/cleared_at/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid3 = _errs29 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data1.reverted_at !== undefined){
let data13 = data1.reverted_at;
const _errs31 = errors;
if(errors === _errs31){
if(errors === _errs31){
if(typeof data13 === "string"){
if(!(formats2(data13))){
validate82.errors = [{instancePath:instancePath+"/events/" + i0+"/reverted_at",schemaPath:"#/properties/events/items/properties/reverted_at/format",keyword:"format",params:{format: "timestamp"}}];
return false;
}
}
else {
validate82.errors = [{instancePath:instancePath+"/events/" + i0+"/reverted_at",schemaPath:"#/properties/events/items/properties/reverted_at/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid3 = _errs31 === errors;
}
else {
var valid3 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate82.errors = [{instancePath:instancePath+"/events/" + i0,schemaPath:"#/properties/events/items/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid1 = _errs4 === errors;
if(!valid1){
break;
}
}
}
}
}
else {
validate82.errors = [{instancePath:instancePath+"/events",schemaPath:"#/properties/events/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
}
}
}
}
else {
validate82.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate82.errors = vErrors;
return errors === 0;
}

export const validate_loyalty_program_list = validate83;
const schema39 = {"type":"object","properties":{"pagination":{"$ref":"shared_1"}},"additionalProperties":false};

function validate83(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "pagination")){
validate83.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.pagination !== undefined){
if(!(validate23(data.pagination, {instancePath:instancePath+"/pagination",parentData:data,parentDataProperty:"pagination",rootData}))){
vErrors = vErrors === null ? validate23.errors : vErrors.concat(validate23.errors);
errors = vErrors.length;
}
}
}
}
else {
validate83.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate83.errors = vErrors;
return errors === 0;
}

export const validate_loyalty_program_get = validate85;
const schema40 = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};

function validate85(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.id === undefined) && (missing0 = "id")){
validate85.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "id")){
validate85.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
if(typeof data.id !== "string"){
validate85.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
}
}
else {
validate85.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate85.errors = vErrors;
return errors === 0;
}

export const validate_deal_list = validate86;
const schema41 = {"type":"object","properties":{"pagination":{"$ref":"shared_1"}},"additionalProperties":false};

function validate86(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "pagination")){
validate86.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.pagination !== undefined){
if(!(validate23(data.pagination, {instancePath:instancePath+"/pagination",parentData:data,parentDataProperty:"pagination",rootData}))){
vErrors = vErrors === null ? validate23.errors : vErrors.concat(validate23.errors);
errors = vErrors.length;
}
}
}
}
else {
validate86.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate86.errors = vErrors;
return errors === 0;
}

export const validate_deal_get = validate88;
const schema42 = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};

function validate88(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.id === undefined) && (missing0 = "id")){
validate88.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "id")){
validate88.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
if(typeof data.id !== "string"){
validate88.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
}
}
else {
validate88.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate88.errors = vErrors;
return errors === 0;
}

export const validate_wallet_stamp_collection_create = validate89;
const schema43 = {"type":"object","required":["loyalty_program_id","member_id"],"properties":{"loyalty_program_id":{"type":"string"},"member_id":{"type":"string"}},"additionalProperties":false};

function validate89(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.loyalty_program_id === undefined) && (missing0 = "loyalty_program_id")) || ((data.member_id === undefined) && (missing0 = "member_id"))){
validate89.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "loyalty_program_id") || (key0 === "member_id"))){
validate89.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.loyalty_program_id !== undefined){
const _errs2 = errors;
if(typeof data.loyalty_program_id !== "string"){
validate89.errors = [{instancePath:instancePath+"/loyalty_program_id",schemaPath:"#/properties/loyalty_program_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.member_id !== undefined){
const _errs4 = errors;
if(typeof data.member_id !== "string"){
validate89.errors = [{instancePath:instancePath+"/member_id",schemaPath:"#/properties/member_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate89.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate89.errors = vErrors;
return errors === 0;
}

export const validate_wallet_stamp_collection_get = validate90;
const schema44 = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};

function validate90(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.id === undefined) && (missing0 = "id")){
validate90.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "id")){
validate90.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
if(typeof data.id !== "string"){
validate90.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
}
}
else {
validate90.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate90.errors = vErrors;
return errors === 0;
}

export const validate_wallet_stamp_collection_list = validate91;
const schema45 = {"type":"object","required":["member_id"],"properties":{"member_id":{"type":"string"},"pagination":{"$ref":"shared_1"}},"additionalProperties":false};

function validate91(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.member_id === undefined) && (missing0 = "member_id")){
validate91.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "member_id") || (key0 === "pagination"))){
validate91.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.member_id !== undefined){
const _errs2 = errors;
if(typeof data.member_id !== "string"){
validate91.errors = [{instancePath:instancePath+"/member_id",schemaPath:"#/properties/member_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.pagination !== undefined){
const _errs4 = errors;
if(!(validate23(data.pagination, {instancePath:instancePath+"/pagination",parentData:data,parentDataProperty:"pagination",rootData}))){
vErrors = vErrors === null ? validate23.errors : vErrors.concat(validate23.errors);
errors = vErrors.length;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate91.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate91.errors = vErrors;
return errors === 0;
}

export const validate_qualifying_purchase_list = validate93;
const schema46 = {"type":"object","required":["stamp_collection_id"],"properties":{"stamp_collection_id":{"type":"string"},"pagination":{"$ref":"shared_1"}},"additionalProperties":false};

function validate93(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.stamp_collection_id === undefined) && (missing0 = "stamp_collection_id")){
validate93.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "stamp_collection_id") || (key0 === "pagination"))){
validate93.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.stamp_collection_id !== undefined){
const _errs2 = errors;
if(typeof data.stamp_collection_id !== "string"){
validate93.errors = [{instancePath:instancePath+"/stamp_collection_id",schemaPath:"#/properties/stamp_collection_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.pagination !== undefined){
const _errs4 = errors;
if(!(validate23(data.pagination, {instancePath:instancePath+"/pagination",parentData:data,parentDataProperty:"pagination",rootData}))){
vErrors = vErrors === null ? validate23.errors : vErrors.concat(validate23.errors);
errors = vErrors.length;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate93.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate93.errors = vErrors;
return errors === 0;
}

export const validate_wallet_clip_save = validate95;
const schema47 = {"type":"object","required":["deal_id","member_id"],"properties":{"deal_id":{"type":"string"},"member_id":{"type":"string"}},"additionalProperties":false};

function validate95(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.deal_id === undefined) && (missing0 = "deal_id")) || ((data.member_id === undefined) && (missing0 = "member_id"))){
validate95.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "deal_id") || (key0 === "member_id"))){
validate95.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.deal_id !== undefined){
const _errs2 = errors;
if(typeof data.deal_id !== "string"){
validate95.errors = [{instancePath:instancePath+"/deal_id",schemaPath:"#/properties/deal_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.member_id !== undefined){
const _errs4 = errors;
if(typeof data.member_id !== "string"){
validate95.errors = [{instancePath:instancePath+"/member_id",schemaPath:"#/properties/member_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate95.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate95.errors = vErrors;
return errors === 0;
}

export const validate_wallet_clip_list = validate96;
const schema48 = {"type":"object","required":["member_id"],"properties":{"member_id":{"type":"string"},"pagination":{"$ref":"shared_1"}},"additionalProperties":false};

function validate96(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.member_id === undefined) && (missing0 = "member_id")){
validate96.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "member_id") || (key0 === "pagination"))){
validate96.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.member_id !== undefined){
const _errs2 = errors;
if(typeof data.member_id !== "string"){
validate96.errors = [{instancePath:instancePath+"/member_id",schemaPath:"#/properties/member_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.pagination !== undefined){
const _errs4 = errors;
if(!(validate23(data.pagination, {instancePath:instancePath+"/pagination",parentData:data,parentDataProperty:"pagination",rootData}))){
vErrors = vErrors === null ? validate23.errors : vErrors.concat(validate23.errors);
errors = vErrors.length;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate96.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate96.errors = vErrors;
return errors === 0;
}

export const validate_wallet_cashback_list = validate98;
const schema49 = {"type":"object","required":["member_id"],"properties":{"member_id":{"type":"string"},"pagination":{"$ref":"shared_1"}},"additionalProperties":false};

function validate98(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.member_id === undefined) && (missing0 = "member_id")){
validate98.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "member_id") || (key0 === "pagination"))){
validate98.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.member_id !== undefined){
const _errs2 = errors;
if(typeof data.member_id !== "string"){
validate98.errors = [{instancePath:instancePath+"/member_id",schemaPath:"#/properties/member_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.pagination !== undefined){
const _errs4 = errors;
if(!(validate23(data.pagination, {instancePath:instancePath+"/pagination",parentData:data,parentDataProperty:"pagination",rootData}))){
vErrors = vErrors === null ? validate23.errors : vErrors.concat(validate23.errors);
errors = vErrors.length;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate98.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate98.errors = vErrors;
return errors === 0;
}

export const validate_wallet_redemption_list = validate100;
const schema50 = {"type":"object","required":["member_id"],"properties":{"member_id":{"type":"string"},"pagination":{"$ref":"shared_1"}},"additionalProperties":false};

function validate100(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.member_id === undefined) && (missing0 = "member_id")){
validate100.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "member_id") || (key0 === "pagination"))){
validate100.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.member_id !== undefined){
const _errs2 = errors;
if(typeof data.member_id !== "string"){
validate100.errors = [{instancePath:instancePath+"/member_id",schemaPath:"#/properties/member_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.pagination !== undefined){
const _errs4 = errors;
if(!(validate23(data.pagination, {instancePath:instancePath+"/pagination",parentData:data,parentDataProperty:"pagination",rootData}))){
vErrors = vErrors === null ? validate23.errors : vErrors.concat(validate23.errors);
errors = vErrors.length;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate100.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate100.errors = vErrors;
return errors === 0;
}

export const validate_webhook_create = validate102;
const schema51 = {"type":"object","required":["url","events"],"properties":{"url":{"type":"string","minLength":1,"maxLength":2048,"format":"printable"},"events":{"type":"array","items":{"type":"string","enum":["*","cashback.*","qualifying_purchase.*","transaction.*","cashback.created","cashback.cleared","cashback.reverted","qualifying_purchase.created","qualifying_purchase.voided","qualifying_purchase.unredeemed","transaction.rejected"]},"minItems":1,"maxItems":11,"uniqueItems":true},"description":{"type":"string","maxLength":1024,"format":"storable"},"secret":{"type":"string","format":"webhook-secret"}},"additionalProperties":false};
const formats130 = FORMAT_TESTS["webhook-secret"];

function validate102(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.url === undefined) && (missing0 = "url")) || ((data.events === undefined) && (missing0 = "events"))){
validate102.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((((key0 === "url") || (key0 === "events")) || (key0 === "description")) || (key0 === "secret"))){
validate102.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.url !== undefined){
let data0 = data.url;
const _errs2 = errors;
if(errors === _errs2){
if(errors === _errs2){
if(typeof data0 === "string"){
if(func2(data0) > 2048){
validate102.errors = [{instancePath:instancePath+"/url",schemaPath:"#/properties/url/maxLength",keyword:"maxLength",params:{limit: 2048}}];
return false;
}
else {
if(func2(data0) < 1){
validate102.errors = [{instancePath:instancePath+"/url",schemaPath:"#/properties/url/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats4(data0))){
validate102.errors = [{instancePath:instancePath+"/url",schemaPath:"#/properties/url/format",keyword:"format",params:{format: "printable"}}];
return false;
}
}
}
}
else {
validate102.errors = [{instancePath:instancePath+"/url",schemaPath:"#/properties/url/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.events !== undefined){
let data1 = data.events;
const _errs4 = errors;
if(errors === _errs4){
if(Array.isArray(data1)){
if(data1.length > 11){
validate102.errors = [{instancePath:instancePath+"/events",schemaPath:"#/properties/events/maxItems",keyword:"maxItems",params:{limit: 11}}];
return false;
}
else {
if(data1.length < 1){
validate102.errors = [{instancePath:instancePath+"/events",schemaPath:"#/properties/events/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid1 = true;
const len0 = data1.length;
for(let i0=0; i0<len0; i0++){
let data2 = data1[i0];
const _errs6 = errors;
if(typeof data2 !== "string"){
validate102.errors = [{instancePath:instancePath+"/events/" + i0,schemaPath:"#/properties/events/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!(((((((((((data2 === "*") || (data2 === "cashback.*")) || (data2 === "qualifying_purchase.*")) || (data2 === "transaction.*")) || (data2 === "cashback.created")) || (data2 === "cashback.cleared")) || (data2 === "cashback.reverted")) || (data2 === "qualifying_purchase.created")) || (data2 === "qualifying_purchase.voided")) || (data2 === "qualifying_purchase.unredeemed")) || (data2 === "transaction.rejected"))){
validate102.errors = [{instancePath:instancePath+"/events/" + i0,schemaPath:"#/properties/events/items/enum",keyword:"enum",params:{allowedValues: schema51.properties.events.items.enum}}];
return false;
}
var valid1 = _errs6 === errors;
if(!valid1){
break;
}
}
if(valid1){
let i1 = data1.length;
let j0;
if(i1 > 1){
const indices0 = {};
for(;i1--;){
let item0 = data1[i1];
if(typeof item0 !== "string"){
continue;
}
if(typeof indices0[item0] == "number"){
j0 = indices0[item0];
validate102.errors = [{instancePath:instancePath+"/events",schemaPath:"#/properties/events/uniqueItems",keyword:"uniqueItems",params:{i: i1, j: j0}}];
return false;
break;
}
indices0[item0] = i1;
}
}
}
}
}
}
else {
validate102.errors = [{instancePath:instancePath+"/events",schemaPath:"#/properties/events/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.description !== undefined){
let data3 = data.description;
const _errs8 = errors;
if(errors === _errs8){
if(errors === _errs8){
if(typeof data3 === "string"){
if(func2(data3) > 1024){
validate102.errors = [{instancePath:instancePath+"/description",schemaPath:"#/properties/description/maxLength",keyword:"maxLength",params:{limit: 1024}}];
return false;
}
else {
if(!(formats0(data3))){
validate102.errors = [{instancePath:instancePath+"/description",schemaPath:"#/properties/description/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
}
else {
validate102.errors = [{instancePath:instancePath+"/description",schemaPath:"#/properties/description/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.secret !== undefined){
let data4 = data.secret;
const _errs10 = errors;
if(errors === _errs10){
if(errors === _errs10){
if(typeof data4 === "string"){
if(!(formats130(data4))){
validate102.errors = [{instancePath:instancePath+"/secret",schemaPath:"#/properties/secret/format",keyword:"format",params:{format: "webhook-secret"}}];
return false;
}
}
else {
validate102.errors = [{instancePath:instancePath+"/secret",schemaPath:"#/properties/secret/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
else {
validate102.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate102.errors = vErrors;
return errors === 0;
}

export const validate_webhook_get = validate103;
const schema52 = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};

function validate103(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.id === undefined) && (missing0 = "id")){
validate103.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "id")){
validate103.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
if(typeof data.id !== "string"){
validate103.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
}
}
else {
validate103.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate103.errors = vErrors;
return errors === 0;
}

export const validate_webhook_list = validate104;
const schema53 = {"type":"object","properties":{"pagination":{"$ref":"shared_1"}},"additionalProperties":false};

function validate104(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "pagination")){
validate104.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.pagination !== undefined){
if(!(validate23(data.pagination, {instancePath:instancePath+"/pagination",parentData:data,parentDataProperty:"pagination",rootData}))){
vErrors = vErrors === null ? validate23.errors : vErrors.concat(validate23.errors);
errors = vErrors.length;
}
}
}
}
else {
validate104.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate104.errors = vErrors;
return errors === 0;
}

export const validate_webhook_update = validate106;
const schema54 = {"type":"object","required":["id"],"properties":{"id":{"type":"string"},"url":{"type":"string","minLength":1,"maxLength":2048,"format":"printable"},"events":{"type":"array","items":{"type":"string","enum":["*","cashback.*","qualifying_purchase.*","transaction.*","cashback.created","cashback.cleared","cashback.reverted","qualifying_purchase.created","qualifying_purchase.voided","qualifying_purchase.unredeemed","transaction.rejected"]},"minItems":1,"maxItems":11,"uniqueItems":true},"description":{"type":"string","maxLength":1024,"format":"storable"},"state":{"enum":["enabled","paused"]}},"additionalProperties":false};

function validate106(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.id === undefined) && (missing0 = "id")){
validate106.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((((key0 === "id") || (key0 === "url")) || (key0 === "events")) || (key0 === "description")) || (key0 === "state"))){
validate106.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
const _errs2 = errors;
if(typeof data.id !== "string"){
validate106.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.url !== undefined){
let data1 = data.url;
const _errs4 = errors;
if(errors === _errs4){
if(errors === _errs4){
if(typeof data1 === "string"){
if(func2(data1) > 2048){
validate106.errors = [{instancePath:instancePath+"/url",schemaPath:"#/properties/url/maxLength",keyword:"maxLength",params:{limit: 2048}}];
return false;
}
else {
if(func2(data1) < 1){
validate106.errors = [{instancePath:instancePath+"/url",schemaPath:"#/properties/url/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats4(data1))){
validate106.errors = [{instancePath:instancePath+"/url",schemaPath:"#/properties/url/format",keyword:"format",params:{format: "printable"}}];
return false;
}
}
}
}
else {
validate106.errors = [{instancePath:instancePath+"/url",schemaPath:"#/properties/url/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.events !== undefined){
let data2 = data.events;
const _errs6 = errors;
if(errors === _errs6){
if(Array.isArray(data2)){
if(data2.length > 11){
validate106.errors = [{instancePath:instancePath+"/events",schemaPath:"#/properties/events/maxItems",keyword:"maxItems",params:{limit: 11}}];
return false;
}
else {
if(data2.length < 1){
validate106.errors = [{instancePath:instancePath+"/events",schemaPath:"#/properties/events/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid1 = true;
const len0 = data2.length;
for(let i0=0; i0<len0; i0++){
let data3 = data2[i0];
const _errs8 = errors;
if(typeof data3 !== "string"){
validate106.errors = [{instancePath:instancePath+"/events/" + i0,schemaPath:"#/properties/events/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!(((((((((((data3 === "*") || (data3 === "cashback.*")) || (data3 === "qualifying_purchase.*")) || (data3 === "transaction.*")) || (data3 === "cashback.created")) || (data3 === "cashback.cleared")) || (data3 === "cashback.reverted")) || (data3 === "qualifying_purchase.created")) || (data3 === "qualifying_purchase.voided")) || (data3 === "qualifying_purchase.unredeemed")) || (data3 === "transaction.rejected"))){
validate106.errors = [{instancePath:instancePath+"/events/" + i0,schemaPath:"#/properties/events/items/enum",keyword:"enum",params:{allowedValues: schema54.properties.events.items.enum}}];
return false;
}
var valid1 = _errs8 === errors;
if(!valid1){
break;
}
}
if(valid1){
let i1 = data2.length;
let j0;
if(i1 > 1){
const indices0 = {};
for(;i1--;){
let item0 = data2[i1];
if(typeof item0 !== "string"){
continue;
}
if(typeof indices0[item0] == "number"){
j0 = indices0[item0];
validate106.errors = [{instancePath:instancePath+"/events",schemaPath:"#/properties/events/uniqueItems",keyword:"uniqueItems",params:{i: i1, j: j0}}];
return false;
break;
}
indices0[item0] = i1;
}
}
}
}
}
}
else {
validate106.errors = [{instancePath:instancePath+"/events",schemaPath:"#/properties/events/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.description !== undefined){
let data4 = data.description;
const _errs10 = errors;
if(errors === _errs10){
if(errors === _errs10){
if(typeof data4 === "string"){
if(func2(data4) > 1024){
validate106.errors = [{instancePath:instancePath+"/description",schemaPath:"#/properties/description/maxLength",keyword:"maxLength",params:{limit: 1024}}];
return false;
}
else {
if(!(formats0(data4))){
validate106.errors = [{instancePath:instancePath+"/description",schemaPath:"#/properties/description/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
}
else {
validate106.errors = [{instancePath:instancePath+"/description",schemaPath:"#/properties/description/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.state !== undefined){
let data5 = data.state;
const _errs12 = errors;
if(!((data5 === "enabled") || (data5 === "paused"))){
validate106.errors = [{instancePath:instancePath+"/state",schemaPath:"#/properties/state/enum",keyword:"enum",params:{allowedValues: schema54.properties.state.enum}}];
return false;
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
else {
validate106.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate106.errors = vErrors;
return errors === 0;
}

export const validate_webhook_delete = validate107;
const schema55 = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};

function validate107(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.id === undefined) && (missing0 = "id")){
validate107.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "id")){
validate107.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
if(typeof data.id !== "string"){
validate107.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
}
}
else {
validate107.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate107.errors = vErrors;
return errors === 0;
}

export const validate_webhook_rotate_secret = validate108;
const schema56 = {"type":"object","required":["id"],"properties":{"id":{"type":"string"},"overlap_seconds":{"type":"integer","minimum":0,"maximum":604800}},"additionalProperties":false};

function validate108(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.id === undefined) && (missing0 = "id")){
validate108.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "id") || (key0 === "overlap_seconds"))){
validate108.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
const _errs2 = errors;
if(typeof data.id !== "string"){
validate108.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.overlap_seconds !== undefined){
let data1 = data.overlap_seconds;
const _errs4 = errors;
if(!(((typeof data1 == "number") && (!(data1 % 1) && !isNaN(data1))) && (isFinite(data1)))){
validate108.errors = [{instancePath:instancePath+"/overlap_seconds",schemaPath:"#/properties/overlap_seconds/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs4){
if((typeof data1 == "number") && (isFinite(data1))){
if(data1 > 604800 || isNaN(data1)){
validate108.errors = [{instancePath:instancePath+"/overlap_seconds",schemaPath:"#/properties/overlap_seconds/maximum",keyword:"maximum",params:{comparison: "<=", limit: 604800}}];
return false;
}
else {
if(data1 < 0 || isNaN(data1)){
validate108.errors = [{instancePath:instancePath+"/overlap_seconds",schemaPath:"#/properties/overlap_seconds/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}}];
return false;
}
}
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate108.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate108.errors = vErrors;
return errors === 0;
}

export const validate_webhook_test = validate109;
const schema57 = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};

function validate109(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.id === undefined) && (missing0 = "id")){
validate109.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "id")){
validate109.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
if(typeof data.id !== "string"){
validate109.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
}
}
else {
validate109.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate109.errors = vErrors;
return errors === 0;
}

export const validate_webhook_retry = validate110;
const schema58 = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};

function validate110(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.id === undefined) && (missing0 = "id")){
validate110.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "id")){
validate110.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
if(typeof data.id !== "string"){
validate110.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
}
}
else {
validate110.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate110.errors = vErrors;
return errors === 0;
}

export const validate_webhook_delivery_list = validate111;
const schema59 = {"type":"object","required":["webhook_id"],"properties":{"webhook_id":{"type":"string"},"state":{"enum":["pending","delivered","failed"]},"order":{"enum":["oldest","newest"]},"since":{"type":"string","format":"timestamp"},"until":{"type":"string","format":"timestamp"},"event_id":{"type":"string"},"pagination":{"$ref":"shared_1"}},"additionalProperties":false};

function validate111(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.webhook_id === undefined) && (missing0 = "webhook_id")){
validate111.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((((((key0 === "webhook_id") || (key0 === "state")) || (key0 === "order")) || (key0 === "since")) || (key0 === "until")) || (key0 === "event_id")) || (key0 === "pagination"))){
validate111.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.webhook_id !== undefined){
const _errs2 = errors;
if(typeof data.webhook_id !== "string"){
validate111.errors = [{instancePath:instancePath+"/webhook_id",schemaPath:"#/properties/webhook_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.state !== undefined){
let data1 = data.state;
const _errs4 = errors;
if(!(((data1 === "pending") || (data1 === "delivered")) || (data1 === "failed"))){
validate111.errors = [{instancePath:instancePath+"/state",schemaPath:"#/properties/state/enum",keyword:"enum",params:{allowedValues: schema59.properties.state.enum}}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.order !== undefined){
let data2 = data.order;
const _errs5 = errors;
if(!((data2 === "oldest") || (data2 === "newest"))){
validate111.errors = [{instancePath:instancePath+"/order",schemaPath:"#/properties/order/enum",keyword:"enum",params:{allowedValues: schema59.properties.order.enum}}];
return false;
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.since !== undefined){
let data3 = data.since;
const _errs6 = errors;
if(errors === _errs6){
if(errors === _errs6){
if(typeof data3 === "string"){
if(!(formats2(data3))){
validate111.errors = [{instancePath:instancePath+"/since",schemaPath:"#/properties/since/format",keyword:"format",params:{format: "timestamp"}}];
return false;
}
}
else {
validate111.errors = [{instancePath:instancePath+"/since",schemaPath:"#/properties/since/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.until !== undefined){
let data4 = data.until;
const _errs8 = errors;
if(errors === _errs8){
if(errors === _errs8){
if(typeof data4 === "string"){
if(!(formats2(data4))){
validate111.errors = [{instancePath:instancePath+"/until",schemaPath:"#/properties/until/format",keyword:"format",params:{format: "timestamp"}}];
return false;
}
}
else {
validate111.errors = [{instancePath:instancePath+"/until",schemaPath:"#/properties/until/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.event_id !== undefined){
const _errs10 = errors;
if(typeof data.event_id !== "string"){
validate111.errors = [{instancePath:instancePath+"/event_id",schemaPath:"#/properties/event_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.pagination !== undefined){
const _errs12 = errors;
if(!(validate23(data.pagination, {instancePath:instancePath+"/pagination",parentData:data,parentDataProperty:"pagination",rootData}))){
vErrors = vErrors === null ? validate23.errors : vErrors.concat(validate23.errors);
errors = vErrors.length;
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
else {
validate111.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate111.errors = vErrors;
return errors === 0;
}

export const validate_webhook_delivery_get = validate113;
const schema60 = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};

function validate113(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.id === undefined) && (missing0 = "id")){
validate113.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "id")){
validate113.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
if(typeof data.id !== "string"){
validate113.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
}
}
else {
validate113.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate113.errors = vErrors;
return errors === 0;
}

export const validate_webhook_delivery_replay = validate114;
const schema61 = {"type":"object","required":["webhook_id"],"properties":{"webhook_id":{"type":"string"},"event_ids":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":1000},"since":{"type":"string","format":"timestamp"},"until":{"type":"string","format":"timestamp"},"failed":{"type":"boolean","enum":[true]}},"additionalProperties":false,"$comment":"must have exactly one of event_ids, since (with until, if wanted), and failed","oneOf":[{"required":["webhook_id","event_ids"],"maxProperties":2},{"required":["webhook_id","since"],"maxProperties":2},{"required":["webhook_id","since","until"],"maxProperties":3},{"required":["webhook_id","failed"],"maxProperties":2}]};

function validate114(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
const _errs2 = errors;
let valid0 = false;
let passing0 = null;
const _errs3 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 2){
const err0 = {instancePath,schemaPath:"#/oneOf/0/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
else {
let missing0;
if(((data.webhook_id === undefined) && (missing0 = "webhook_id")) || ((data.event_ids === undefined) && (missing0 = "event_ids"))){
const err1 = {instancePath,schemaPath:"#/oneOf/0/required",keyword:"required",params:{missingProperty: missing0}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
}
var _valid0 = _errs3 === errors;
if(_valid0){
valid0 = true;
passing0 = 0;
}
const _errs4 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 2){
const err2 = {instancePath,schemaPath:"#/oneOf/1/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
else {
let missing1;
if(((data.webhook_id === undefined) && (missing1 = "webhook_id")) || ((data.since === undefined) && (missing1 = "since"))){
const err3 = {instancePath,schemaPath:"#/oneOf/1/required",keyword:"required",params:{missingProperty: missing1}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
}
var _valid0 = _errs4 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 1];
}
else {
if(_valid0){
valid0 = true;
passing0 = 1;
}
const _errs5 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 3){
const err4 = {instancePath,schemaPath:"#/oneOf/2/maxProperties",keyword:"maxProperties",params:{limit: 3}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
else {
let missing2;
if((((data.webhook_id === undefined) && (missing2 = "webhook_id")) || ((data.since === undefined) && (missing2 = "since"))) || ((data.until === undefined) && (missing2 = "until"))){
const err5 = {instancePath,schemaPath:"#/oneOf/2/required",keyword:"required",params:{missingProperty: missing2}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
}
var _valid0 = _errs5 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 2];
}
else {
if(_valid0){
valid0 = true;
passing0 = 2;
}
const _errs6 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(Object.keys(data).length > 2){
const err6 = {instancePath,schemaPath:"#/oneOf/3/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
else {
let missing3;
if(((data.webhook_id === undefined) && (missing3 = "webhook_id")) || ((data.failed === undefined) && (missing3 = "failed"))){
const err7 = {instancePath,schemaPath:"#/oneOf/3/required",keyword:"required",params:{missingProperty: missing3}};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
}
}
var _valid0 = _errs6 === errors;
if(_valid0 && valid0){
valid0 = false;
passing0 = [passing0, 3];
}
else {
if(_valid0){
valid0 = true;
passing0 = 3;
}
}
}
}
if(!valid0){
const err8 = {instancePath,schemaPath:"#/oneOf",keyword:"oneOf",params:{passingSchemas: passing0, comment: "must have exactly one of event_ids, since (with until, if wanted), and failed"}};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
validate114.errors = vErrors;
return false;
}
else {
errors = _errs2;
if(vErrors !== null){
if(_errs2){
vErrors.length = _errs2;
}
else {
vErrors = null;
}
}
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing4;
if((data.webhook_id === undefined) && (missing4 = "webhook_id")){
validate114.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing4}}];
return false;
}
else {
const _errs7 = errors;
for(const key0 in data){
if(!(((((key0 === "webhook_id") || (key0 === "event_ids")) || (key0 === "since")) || (key0 === "until")) || (key0 === "failed"))){
validate114.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs7 === errors){
if(data.webhook_id !== undefined){
const _errs8 = errors;
if(typeof data.webhook_id !== "string"){
validate114.errors = [{instancePath:instancePath+"/webhook_id",schemaPath:"#/properties/webhook_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid1 = _errs8 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.event_ids !== undefined){
let data1 = data.event_ids;
const _errs10 = errors;
if(errors === _errs10){
if(Array.isArray(data1)){
if(data1.length > 1000){
validate114.errors = [{instancePath:instancePath+"/event_ids",schemaPath:"#/properties/event_ids/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data1.length < 1){
validate114.errors = [{instancePath:instancePath+"/event_ids",schemaPath:"#/properties/event_ids/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid2 = true;
const len0 = data1.length;
for(let i0=0; i0<len0; i0++){
const _errs12 = errors;
if(typeof data1[i0] !== "string"){
validate114.errors = [{instancePath:instancePath+"/event_ids/" + i0,schemaPath:"#/properties/event_ids/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid2 = _errs12 === errors;
if(!valid2){
break;
}
}
}
}
}
else {
validate114.errors = [{instancePath:instancePath+"/event_ids",schemaPath:"#/properties/event_ids/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs10 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.since !== undefined){
let data3 = data.since;
const _errs14 = errors;
if(errors === _errs14){
if(errors === _errs14){
if(typeof data3 === "string"){
if(!(formats2(data3))){
validate114.errors = [{instancePath:instancePath+"/since",schemaPath:"#/properties/since/format",keyword:"format",params:{format: "timestamp"}}];
return false;
}
}
else {
validate114.errors = [{instancePath:instancePath+"/since",schemaPath:"#/properties/since/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid1 = _errs14 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.until !== undefined){
let data4 = data.until;
const _errs16 = errors;
if(errors === _errs16){
if(errors === _errs16){
if(typeof data4 === "string"){
if(!(formats2(data4))){
validate114.errors = [{instancePath:instancePath+"/until",schemaPath:"#/properties/until/format",keyword:"format",params:{format: "timestamp"}}];
return false;
}
}
else {
validate114.errors = [{instancePath:instancePath+"/until",schemaPath:"#/properties/until/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid1 = _errs16 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.failed !== undefined){
let data5 = data.failed;
const _errs18 = errors;
if(typeof data5 !== "boolean"){
validate114.errors = [{instancePath:instancePath+"/failed",schemaPath:"#/properties/failed/type",keyword:"type",params:{type: "boolean"}}];
return false;
}
if(!(data5 === true)){
validate114.errors = [{instancePath:instancePath+"/failed",schemaPath:"#/properties/failed/enum",keyword:"enum",params:{allowedValues: schema61.properties.failed.enum}}];
return false;
}
var valid1 = _errs18 === errors;
}
else {
var valid1 = true;
}
}
}
}
}
}
}
}
else {
validate114.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate114.errors = vErrors;
return errors === 0;
}

export const validate_event_list = validate115;
const schema62 = {"type":"object","properties":{"after":{"type":["string","null"],"maxLength":1024},"types":{"type":"array","items":{"type":"string","enum":["*","cashback.*","qualifying_purchase.*","transaction.*","cashback.created","cashback.cleared","cashback.reverted","qualifying_purchase.created","qualifying_purchase.voided","qualifying_purchase.unredeemed","transaction.rejected","webhook.test"]},"minItems":1,"maxItems":12,"uniqueItems":true},"transaction_ref":{"type":"string","minLength":1,"maxLength":128,"format":"printable"},"since":{"type":"string","format":"timestamp"},"limit":{"type":"integer","minimum":1,"maximum":1000}},"additionalProperties":false};

function validate115(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!(((((key0 === "after") || (key0 === "types")) || (key0 === "transaction_ref")) || (key0 === "since")) || (key0 === "limit"))){
validate115.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.after !== undefined){
let data0 = data.after;
const _errs2 = errors;
if((typeof data0 !== "string") && (data0 !== null)){
validate115.errors = [{instancePath:instancePath+"/after",schemaPath:"#/properties/after/type",keyword:"type",params:{type: schema62.properties.after.type}}];
return false;
}
if(errors === _errs2){
if(typeof data0 === "string"){
if(func2(data0) > 1024){
validate115.errors = [{instancePath:instancePath+"/after",schemaPath:"#/properties/after/maxLength",keyword:"maxLength",params:{limit: 1024}}];
return false;
}
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.types !== undefined){
let data1 = data.types;
const _errs4 = errors;
if(errors === _errs4){
if(Array.isArray(data1)){
if(data1.length > 12){
validate115.errors = [{instancePath:instancePath+"/types",schemaPath:"#/properties/types/maxItems",keyword:"maxItems",params:{limit: 12}}];
return false;
}
else {
if(data1.length < 1){
validate115.errors = [{instancePath:instancePath+"/types",schemaPath:"#/properties/types/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid1 = true;
const len0 = data1.length;
for(let i0=0; i0<len0; i0++){
let data2 = data1[i0];
const _errs6 = errors;
if(typeof data2 !== "string"){
validate115.errors = [{instancePath:instancePath+"/types/" + i0,schemaPath:"#/properties/types/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!((((((((((((data2 === "*") || (data2 === "cashback.*")) || (data2 === "qualifying_purchase.*")) || (data2 === "transaction.*")) || (data2 === "cashback.created")) || (data2 === "cashback.cleared")) || (data2 === "cashback.reverted")) || (data2 === "qualifying_purchase.created")) || (data2 === "qualifying_purchase.voided")) || (data2 === "qualifying_purchase.unredeemed")) || (data2 === "transaction.rejected")) || (data2 === "webhook.test"))){
validate115.errors = [{instancePath:instancePath+"/types/" + i0,schemaPath:"#/properties/types/items/enum",keyword:"enum",params:{allowedValues: schema62.properties.types.items.enum}}];
return false;
}
var valid1 = _errs6 === errors;
if(!valid1){
break;
}
}
if(valid1){
let i1 = data1.length;
let j0;
if(i1 > 1){
const indices0 = {};
for(;i1--;){
let item0 = data1[i1];
if(typeof item0 !== "string"){
continue;
}
if(typeof indices0[item0] == "number"){
j0 = indices0[item0];
validate115.errors = [{instancePath:instancePath+"/types",schemaPath:"#/properties/types/uniqueItems",keyword:"uniqueItems",params:{i: i1, j: j0}}];
return false;
break;
}
indices0[item0] = i1;
}
}
}
}
}
}
else {
validate115.errors = [{instancePath:instancePath+"/types",schemaPath:"#/properties/types/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.transaction_ref !== undefined){
let data3 = data.transaction_ref;
const _errs8 = errors;
if(errors === _errs8){
if(errors === _errs8){
if(typeof data3 === "string"){
if(func2(data3) > 128){
validate115.errors = [{instancePath:instancePath+"/transaction_ref",schemaPath:"#/properties/transaction_ref/maxLength",keyword:"maxLength",params:{limit: 128}}];
return false;
}
else {
if(func2(data3) < 1){
validate115.errors = [{instancePath:instancePath+"/transaction_ref",schemaPath:"#/properties/transaction_ref/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats4(data3))){
validate115.errors = [{instancePath:instancePath+"/transaction_ref",schemaPath:"#/properties/transaction_ref/format",keyword:"format",params:{format: "printable"}}];
return false;
}
}
}
}
else {
validate115.errors = [{instancePath:instancePath+"/transaction_ref",schemaPath:"#/properties/transaction_ref/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.since !== undefined){
let data4 = data.since;
const _errs10 = errors;
if(errors === _errs10){
if(errors === _errs10){
if(typeof data4 === "string"){
if(!(formats2(data4))){
validate115.errors = [{instancePath:instancePath+"/since",schemaPath:"#/properties/since/format",keyword:"format",params:{format: "timestamp"}}];
return false;
}
}
else {
validate115.errors = [{instancePath:instancePath+"/since",schemaPath:"#/properties/since/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.limit !== undefined){
let data5 = data.limit;
const _errs12 = errors;
if(!(((typeof data5 == "number") && (!(data5 % 1) && !isNaN(data5))) && (isFinite(data5)))){
validate115.errors = [{instancePath:instancePath+"/limit",schemaPath:"#/properties/limit/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs12){
if((typeof data5 == "number") && (isFinite(data5))){
if(data5 > 1000 || isNaN(data5)){
validate115.errors = [{instancePath:instancePath+"/limit",schemaPath:"#/properties/limit/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1000}}];
return false;
}
else {
if(data5 < 1 || isNaN(data5)){
validate115.errors = [{instancePath:instancePath+"/limit",schemaPath:"#/properties/limit/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1}}];
return false;
}
}
}
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
else {
validate115.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate115.errors = vErrors;
return errors === 0;
}

export const validate_platform_loyalty_program_upsert = validate116;
const schema63 = {"type":"object","required":["name","qualifying_threshold","reward_config","display_content","rules"],"properties":{"id":{"type":"string"},"name":{"type":"string","minLength":1,"maxLength":256,"format":"printable"},"qualifying_threshold":{"type":"integer","minimum":1,"maximum":1000000},"reward_config":{"$ref":"shared_2"},"display_content":{"$ref":"shared_3"},"rules":{"$ref":"shared_5"}},"additionalProperties":false};
const schema64 = {"type":"object","required":["type"],"discriminator":{"propertyName":"type"},"oneOf":[{"type":"object","required":["type"],"properties":{"type":{"type":"string","const":"refund"}},"additionalProperties":false},{"type":"object","required":["type","amount"],"properties":{"type":{"type":"string","const":"fixed-reward"},"amount":{"type":"integer","minimum":0,"maximum":9007199254740991}},"additionalProperties":false}]};

function validate117(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.type === undefined) && (missing0 = "type")){
validate117.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const tag0 = data.type;
if(typeof tag0 == "string"){
if(tag0 === "refund"){
const _errs2 = errors;
if(errors === _errs2){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing1;
if((data.type === undefined) && (missing1 = "type")){
validate117.errors = [{instancePath,schemaPath:"#/oneOf/0/required",keyword:"required",params:{missingProperty: missing1}}];
return false;
}
else {
const _errs4 = errors;
for(const key0 in data){
if(!(key0 === "type")){
validate117.errors = [{instancePath,schemaPath:"#/oneOf/0/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs4 === errors){
if(data.type !== undefined){
let data0 = data.type;
if(typeof data0 !== "string"){
validate117.errors = [{instancePath:instancePath+"/type",schemaPath:"#/oneOf/0/properties/type/type",keyword:"type",params:{type: "string"}}];
return false;
}
if("refund" !== data0){
validate117.errors = [{instancePath:instancePath+"/type",schemaPath:"#/oneOf/0/properties/type/const",keyword:"const",params:{allowedValue: "refund"}}];
return false;
}
}
}
}
}
else {
validate117.errors = [{instancePath,schemaPath:"#/oneOf/0/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
}
else if(tag0 === "fixed-reward"){
const _errs7 = errors;
if(errors === _errs7){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing2;
if(((data.type === undefined) && (missing2 = "type")) || ((data.amount === undefined) && (missing2 = "amount"))){
validate117.errors = [{instancePath,schemaPath:"#/oneOf/1/required",keyword:"required",params:{missingProperty: missing2}}];
return false;
}
else {
const _errs9 = errors;
for(const key1 in data){
if(!((key1 === "type") || (key1 === "amount"))){
validate117.errors = [{instancePath,schemaPath:"#/oneOf/1/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
return false;
break;
}
}
if(_errs9 === errors){
if(data.type !== undefined){
let data1 = data.type;
const _errs10 = errors;
if(typeof data1 !== "string"){
validate117.errors = [{instancePath:instancePath+"/type",schemaPath:"#/oneOf/1/properties/type/type",keyword:"type",params:{type: "string"}}];
return false;
}
if("fixed-reward" !== data1){
validate117.errors = [{instancePath:instancePath+"/type",schemaPath:"#/oneOf/1/properties/type/const",keyword:"const",params:{allowedValue: "fixed-reward"}}];
return false;
}
var valid4 = _errs10 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data.amount !== undefined){
let data2 = data.amount;
const _errs12 = errors;
if(!(((typeof data2 == "number") && (!(data2 % 1) && !isNaN(data2))) && (isFinite(data2)))){
validate117.errors = [{instancePath:instancePath+"/amount",schemaPath:"#/oneOf/1/properties/amount/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs12){
if((typeof data2 == "number") && (isFinite(data2))){
if(data2 > 9007199254740991 || isNaN(data2)){
validate117.errors = [{instancePath:instancePath+"/amount",schemaPath:"#/oneOf/1/properties/amount/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991}}];
return false;
}
else {
if(data2 < 0 || isNaN(data2)){
validate117.errors = [{instancePath:instancePath+"/amount",schemaPath:"#/oneOf/1/properties/amount/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}}];
return false;
}
}
}
}
var valid4 = _errs12 === errors;
}
else {
var valid4 = true;
}
}
}
}
}
else {
validate117.errors = [{instancePath,schemaPath:"#/oneOf/1/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
}
else {
validate117.errors = [{instancePath,schemaPath:"#/discriminator",keyword:"discriminator",params:{tag: "type", allowedValues: ["refund","fixed-reward"]}}];
return false;
}
}
else {
validate117.errors = [{instancePath,schemaPath:"#/discriminator",keyword:"discriminator",params:{tag: "type", allowedValues: ["refund","fixed-reward"]}}];
return false;
}
}
}
else {
validate117.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate117.errors = vErrors;
return errors === 0;
}

const schema65 = {"type":"object","required":["title","image","summary","description","terms"],"properties":{"title":{"type":"string","maxLength":20000,"format":"storable"},"image":{"type":"string","maxLength":20000,"format":"storable"},"logo":{"type":"string","maxLength":20000,"format":"storable"},"summary":{"type":"string","maxLength":20000,"format":"storable"},"description":{"type":"string","maxLength":20000,"format":"storable"},"terms":{"type":"string","maxLength":20000,"format":"storable"},"reward":{"$ref":"shared_4"}},"additionalProperties":false};
const schema66 = {"type":"object","required":["formatted"],"properties":{"formatted":{"type":"string","maxLength":20000,"format":"storable"}},"additionalProperties":false};

function validate120(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.formatted === undefined) && (missing0 = "formatted")){
validate120.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "formatted")){
validate120.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.formatted !== undefined){
let data0 = data.formatted;
const _errs2 = errors;
if(errors === _errs2){
if(errors === _errs2){
if(typeof data0 === "string"){
if(func2(data0) > 20000){
validate120.errors = [{instancePath:instancePath+"/formatted",schemaPath:"#/properties/formatted/maxLength",keyword:"maxLength",params:{limit: 20000}}];
return false;
}
else {
if(!(formats0(data0))){
validate120.errors = [{instancePath:instancePath+"/formatted",schemaPath:"#/properties/formatted/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
}
else {
validate120.errors = [{instancePath:instancePath+"/formatted",schemaPath:"#/properties/formatted/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
}
}
}
}
else {
validate120.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate120.errors = vErrors;
return errors === 0;
}


function validate119(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((((data.title === undefined) && (missing0 = "title")) || ((data.image === undefined) && (missing0 = "image"))) || ((data.summary === undefined) && (missing0 = "summary"))) || ((data.description === undefined) && (missing0 = "description"))) || ((data.terms === undefined) && (missing0 = "terms"))){
validate119.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((((((key0 === "title") || (key0 === "image")) || (key0 === "logo")) || (key0 === "summary")) || (key0 === "description")) || (key0 === "terms")) || (key0 === "reward"))){
validate119.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.title !== undefined){
let data0 = data.title;
const _errs2 = errors;
if(errors === _errs2){
if(errors === _errs2){
if(typeof data0 === "string"){
if(func2(data0) > 20000){
validate119.errors = [{instancePath:instancePath+"/title",schemaPath:"#/properties/title/maxLength",keyword:"maxLength",params:{limit: 20000}}];
return false;
}
else {
if(!(formats0(data0))){
validate119.errors = [{instancePath:instancePath+"/title",schemaPath:"#/properties/title/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
}
else {
validate119.errors = [{instancePath:instancePath+"/title",schemaPath:"#/properties/title/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.image !== undefined){
let data1 = data.image;
const _errs4 = errors;
if(errors === _errs4){
if(errors === _errs4){
if(typeof data1 === "string"){
if(func2(data1) > 20000){
validate119.errors = [{instancePath:instancePath+"/image",schemaPath:"#/properties/image/maxLength",keyword:"maxLength",params:{limit: 20000}}];
return false;
}
else {
if(!(formats0(data1))){
validate119.errors = [{instancePath:instancePath+"/image",schemaPath:"#/properties/image/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
}
else {
validate119.errors = [{instancePath:instancePath+"/image",schemaPath:"#/properties/image/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.logo !== undefined){
let data2 = data.logo;
const _errs6 = errors;
if(errors === _errs6){
if(errors === _errs6){
if(typeof data2 === "string"){
if(func2(data2) > 20000){
validate119.errors = [{instancePath:instancePath+"/logo",schemaPath:"#/properties/logo/maxLength",keyword:"maxLength",params:{limit: 20000}}];
return false;
}
else {
if(!(formats0(data2))){
validate119.errors = [{instancePath:instancePath+"/logo",schemaPath:"#/properties/logo/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
}
else {
validate119.errors = [{instancePath:instancePath+"/logo",schemaPath:"#/properties/logo/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.summary !== undefined){
let data3 = data.summary;
const _errs8 = errors;
if(errors === _errs8){
if(errors === _errs8){
if(typeof data3 === "string"){
if(func2(data3) > 20000){
validate119.errors = [{instancePath:instancePath+"/summary",schemaPath:"#/properties/summary/maxLength",keyword:"maxLength",params:{limit: 20000}}];
return false;
}
else {
if(!(formats0(data3))){
validate119.errors = [{instancePath:instancePath+"/summary",schemaPath:"#/properties/summary/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
}
else {
validate119.errors = [{instancePath:instancePath+"/summary",schemaPath:"#/properties/summary/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.description !== undefined){
let data4 = data.description;
const _errs10 = errors;
if(errors === _errs10){
if(errors === _errs10){
if(typeof data4 === "string"){
if(func2(data4) > 20000){
validate119.errors = [{instancePath:instancePath+"/description",schemaPath:"#/properties/description/maxLength",keyword:"maxLength",params:{limit: 20000}}];
return false;
}
else {
if(!(formats0(data4))){
validate119.errors = [{instancePath:instancePath+"/description",schemaPath:"#/properties/description/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
}
else {
validate119.errors = [{instancePath:instancePath+"/description",schemaPath:"#/properties/description/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.terms !== undefined){
let data5 = data.terms;
const _errs12 = errors;
if(errors === _errs12){
if(errors === _errs12){
if(typeof data5 === "string"){
if(func2(data5) > 20000){
validate119.errors = [{instancePath:instancePath+"/terms",schemaPath:"#/properties/terms/maxLength",keyword:"maxLength",params:{limit: 20000}}];
return false;
}
else {
if(!(formats0(data5))){
validate119.errors = [{instancePath:instancePath+"/terms",schemaPath:"#/properties/terms/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
}
else {
validate119.errors = [{instancePath:instancePath+"/terms",schemaPath:"#/properties/terms/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.reward !== undefined){
const _errs14 = errors;
if(!(validate120(data.reward, {instancePath:instancePath+"/reward",parentData:data,parentDataProperty:"reward",rootData}))){
vErrors = vErrors === null ? validate120.errors : vErrors.concat(validate120.errors);
errors = vErrors.length;
}
var valid0 = _errs14 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
else {
validate119.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate119.errors = vErrors;
return errors === 0;
}

const schema67 = {"type":"object","required":["merchant_ids"],"properties":{"merchant_ids":{"type":"array","items":{"type":"string","minLength":1,"maxLength":64,"format":"printable"},"minItems":1,"maxItems":1000},"statement_descriptor":{"type":"string","minLength":1,"maxLength":128,"format":"printable","description":"A prefix, only looked at where several retailers share the merchant id."},"min_amount":{"type":"integer","minimum":0,"maximum":9007199254740991},"currency":{"type":"string","format":"currency"},"paid_after":{"type":"string","format":"timestamp"},"paid_before":{"type":"string","format":"timestamp"},"retroactive":{"type":"boolean"},"confirmation":{"enum":["retailer","none"]}},"additionalProperties":false};

function validate123(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.merchant_ids === undefined) && (missing0 = "merchant_ids")){
validate123.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((((((((key0 === "merchant_ids") || (key0 === "statement_descriptor")) || (key0 === "min_amount")) || (key0 === "currency")) || (key0 === "paid_after")) || (key0 === "paid_before")) || (key0 === "retroactive")) || (key0 === "confirmation"))){
validate123.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.merchant_ids !== undefined){
let data0 = data.merchant_ids;
const _errs2 = errors;
if(errors === _errs2){
if(Array.isArray(data0)){
if(data0.length > 1000){
validate123.errors = [{instancePath:instancePath+"/merchant_ids",schemaPath:"#/properties/merchant_ids/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data0.length < 1){
validate123.errors = [{instancePath:instancePath+"/merchant_ids",schemaPath:"#/properties/merchant_ids/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid1 = true;
const len0 = data0.length;
for(let i0=0; i0<len0; i0++){
let data1 = data0[i0];
const _errs4 = errors;
if(errors === _errs4){
if(errors === _errs4){
if(typeof data1 === "string"){
if(func2(data1) > 64){
validate123.errors = [{instancePath:instancePath+"/merchant_ids/" + i0,schemaPath:"#/properties/merchant_ids/items/maxLength",keyword:"maxLength",params:{limit: 64}}];
return false;
}
else {
if(func2(data1) < 1){
validate123.errors = [{instancePath:instancePath+"/merchant_ids/" + i0,schemaPath:"#/properties/merchant_ids/items/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats4(data1))){
validate123.errors = [{instancePath:instancePath+"/merchant_ids/" + i0,schemaPath:"#/properties/merchant_ids/items/format",keyword:"format",params:{format: "printable"}}];
return false;
}
}
}
}
else {
validate123.errors = [{instancePath:instancePath+"/merchant_ids/" + i0,schemaPath:"#/properties/merchant_ids/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid1 = _errs4 === errors;
if(!valid1){
break;
}
}
}
}
}
else {
validate123.errors = [{instancePath:instancePath+"/merchant_ids",schemaPath:"#/properties/merchant_ids/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.statement_descriptor !== undefined){
let data2 = data.statement_descriptor;
const _errs6 = errors;
if(errors === _errs6){
if(errors === _errs6){
if(typeof data2 === "string"){
if(func2(data2) > 128){
validate123.errors = [{instancePath:instancePath+"/statement_descriptor",schemaPath:"#/properties/statement_descriptor/maxLength",keyword:"maxLength",params:{limit: 128}}];
return false;
}
else {
if(func2(data2) < 1){
validate123.errors = [{instancePath:instancePath+"/statement_descriptor",schemaPath:"#/properties/statement_descriptor/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats4(data2))){
validate123.errors = [{instancePath:instancePath+"/statement_descriptor",schemaPath:"#/properties/statement_descriptor/format",keyword:"format",params:{format: "printable"}}];
return false;
}
}
}
}
else {
validate123.errors = [{instancePath:instancePath+"/statement_descriptor",schemaPath:"#/properties/statement_descriptor/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.min_amount !== undefined){
let data3 = data.min_amount;
const _errs8 = errors;
if(!(((typeof data3 == "number") && (!(data3 % 1) && !isNaN(data3))) && (isFinite(data3)))){
validate123.errors = [{instancePath:instancePath+"/min_amount",schemaPath:"#/properties/min_amount/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs8){
if((typeof data3 == "number") && (isFinite(data3))){
if(data3 > 9007199254740991 || isNaN(data3)){
validate123.errors = [{instancePath:instancePath+"/min_amount",schemaPath:"#/properties/min_amount/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991}}];
return false;
}
else {
if(data3 < 0 || isNaN(data3)){
validate123.errors = [{instancePath:instancePath+"/min_amount",schemaPath:"#/properties/min_amount/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}}];
return false;
}
}
}
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.currency !== undefined){
let data4 = data.currency;
const _errs10 = errors;
if(errors === _errs10){
if(errors === _errs10){
if(typeof data4 === "string"){
if(!(formats118(data4))){
validate123.errors = [{instancePath:instancePath+"/currency",schemaPath:"#/properties/currency/format",keyword:"format",params:{format: "currency"}}];
return false;
}
}
else {
validate123.errors = [{instancePath:instancePath+"/currency",schemaPath:"#/properties/currency/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.paid_after !== undefined){
let data5 = data.paid_after;
const _errs12 = errors;
if(errors === _errs12){
if(errors === _errs12){
if(typeof data5 === "string"){
if(!(formats2(data5))){
validate123.errors = [{instancePath:instancePath+"/paid_after",schemaPath:"#/properties/paid_after/format",keyword:"format",params:{format: "timestamp"}}];
return false;
}
}
else {
validate123.errors = [{instancePath:instancePath+"/paid_after",schemaPath:"#/properties/paid_after/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.paid_before !== undefined){
let data6 = data.paid_before;
const _errs14 = errors;
if(errors === _errs14){
if(errors === _errs14){
if(typeof data6 === "string"){
if(!(formats2(data6))){
validate123.errors = [{instancePath:instancePath+"/paid_before",schemaPath:"#/properties/paid_before/format",keyword:"format",params:{format: "timestamp"}}];
return false;
}
}
else {
validate123.errors = [{instancePath:instancePath+"/paid_before",schemaPath:"#/properties/paid_before/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs14 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.retroactive !== undefined){
const _errs16 = errors;
if(typeof data.retroactive !== "boolean"){
validate123.errors = [{instancePath:instancePath+"/retroactive",schemaPath:"#/properties/retroactive/type",keyword:"type",params:{type: "boolean"}}];
return false;
}
var valid0 = _errs16 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.confirmation !== undefined){
let data8 = data.confirmation;
const _errs18 = errors;
if(!((data8 === "retailer") || (data8 === "none"))){
validate123.errors = [{instancePath:instancePath+"/confirmation",schemaPath:"#/properties/confirmation/enum",keyword:"enum",params:{allowedValues: schema67.properties.confirmation.enum}}];
return false;
}
var valid0 = _errs18 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
else {
validate123.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate123.errors = vErrors;
return errors === 0;
}


function validate116(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((((data.name === undefined) && (missing0 = "name")) || ((data.qualifying_threshold === undefined) && (missing0 = "qualifying_threshold"))) || ((data.reward_config === undefined) && (missing0 = "reward_config"))) || ((data.display_content === undefined) && (missing0 = "display_content"))) || ((data.rules === undefined) && (missing0 = "rules"))){
validate116.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((((((key0 === "id") || (key0 === "name")) || (key0 === "qualifying_threshold")) || (key0 === "reward_config")) || (key0 === "display_content")) || (key0 === "rules"))){
validate116.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
const _errs2 = errors;
if(typeof data.id !== "string"){
validate116.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.name !== undefined){
let data1 = data.name;
const _errs4 = errors;
if(errors === _errs4){
if(errors === _errs4){
if(typeof data1 === "string"){
if(func2(data1) > 256){
validate116.errors = [{instancePath:instancePath+"/name",schemaPath:"#/properties/name/maxLength",keyword:"maxLength",params:{limit: 256}}];
return false;
}
else {
if(func2(data1) < 1){
validate116.errors = [{instancePath:instancePath+"/name",schemaPath:"#/properties/name/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats4(data1))){
validate116.errors = [{instancePath:instancePath+"/name",schemaPath:"#/properties/name/format",keyword:"format",params:{format: "printable"}}];
return false;
}
}
}
}
else {
validate116.errors = [{instancePath:instancePath+"/name",schemaPath:"#/properties/name/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.qualifying_threshold !== undefined){
let data2 = data.qualifying_threshold;
const _errs6 = errors;
if(!(((typeof data2 == "number") && (!(data2 % 1) && !isNaN(data2))) && (isFinite(data2)))){
validate116.errors = [{instancePath:instancePath+"/qualifying_threshold",schemaPath:"#/properties/qualifying_threshold/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs6){
if((typeof data2 == "number") && (isFinite(data2))){
if(data2 > 1000000 || isNaN(data2)){
validate116.errors = [{instancePath:instancePath+"/qualifying_threshold",schemaPath:"#/properties/qualifying_threshold/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1000000}}];
return false;
}
else {
if(data2 < 1 || isNaN(data2)){
validate116.errors = [{instancePath:instancePath+"/qualifying_threshold",schemaPath:"#/properties/qualifying_threshold/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1}}];
return false;
}
}
}
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.reward_config !== undefined){
const _errs8 = errors;
if(!(validate117(data.reward_config, {instancePath:instancePath+"/reward_config",parentData:data,parentDataProperty:"reward_config",rootData}))){
vErrors = vErrors === null ? validate117.errors : vErrors.concat(validate117.errors);
errors = vErrors.length;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.display_content !== undefined){
const _errs9 = errors;
if(!(validate119(data.display_content, {instancePath:instancePath+"/display_content",parentData:data,parentDataProperty:"display_content",rootData}))){
vErrors = vErrors === null ? validate119.errors : vErrors.concat(validate119.errors);
errors = vErrors.length;
}
var valid0 = _errs9 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.rules !== undefined){
const _errs10 = errors;
if(!(validate123(data.rules, {instancePath:instancePath+"/rules",parentData:data,parentDataProperty:"rules",rootData}))){
vErrors = vErrors === null ? validate123.errors : vErrors.concat(validate123.errors);
errors = vErrors.length;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
else {
validate116.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate116.errors = vErrors;
return errors === 0;
}

export const validate_platform_loyalty_program_get = validate125;
const schema68 = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};

function validate125(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.id === undefined) && (missing0 = "id")){
validate125.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "id")){
validate125.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
if(typeof data.id !== "string"){
validate125.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
}
}
else {
validate125.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate125.errors = vErrors;
return errors === 0;
}

export const validate_platform_loyalty_program_list = validate126;
const schema69 = {"type":"object","properties":{"pagination":{"$ref":"shared_1"}},"additionalProperties":false};

function validate126(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "pagination")){
validate126.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.pagination !== undefined){
if(!(validate23(data.pagination, {instancePath:instancePath+"/pagination",parentData:data,parentDataProperty:"pagination",rootData}))){
vErrors = vErrors === null ? validate23.errors : vErrors.concat(validate23.errors);
errors = vErrors.length;
}
}
}
}
else {
validate126.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate126.errors = vErrors;
return errors === 0;
}

export const validate_platform_loyalty_program_delete = validate128;
const schema70 = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};

function validate128(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.id === undefined) && (missing0 = "id")){
validate128.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "id")){
validate128.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
if(typeof data.id !== "string"){
validate128.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
}
}
else {
validate128.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate128.errors = vErrors;
return errors === 0;
}

export const validate_platform_loyalty_program_dry_run = validate129;
const schema71 = {"type":"object","required":["name","qualifying_threshold","reward_config","display_content","rules"],"properties":{"id":{"type":"string"},"name":{"type":"string","minLength":1,"maxLength":256,"format":"printable"},"qualifying_threshold":{"type":"integer","minimum":1,"maximum":1000000},"reward_config":{"$ref":"shared_2"},"display_content":{"$ref":"shared_3"},"rules":{"$ref":"shared_5"}},"additionalProperties":false};

function validate129(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((((data.name === undefined) && (missing0 = "name")) || ((data.qualifying_threshold === undefined) && (missing0 = "qualifying_threshold"))) || ((data.reward_config === undefined) && (missing0 = "reward_config"))) || ((data.display_content === undefined) && (missing0 = "display_content"))) || ((data.rules === undefined) && (missing0 = "rules"))){
validate129.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((((((key0 === "id") || (key0 === "name")) || (key0 === "qualifying_threshold")) || (key0 === "reward_config")) || (key0 === "display_content")) || (key0 === "rules"))){
validate129.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
const _errs2 = errors;
if(typeof data.id !== "string"){
validate129.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.name !== undefined){
let data1 = data.name;
const _errs4 = errors;
if(errors === _errs4){
if(errors === _errs4){
if(typeof data1 === "string"){
if(func2(data1) > 256){
validate129.errors = [{instancePath:instancePath+"/name",schemaPath:"#/properties/name/maxLength",keyword:"maxLength",params:{limit: 256}}];
return false;
}
else {
if(func2(data1) < 1){
validate129.errors = [{instancePath:instancePath+"/name",schemaPath:"#/properties/name/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats4(data1))){
validate129.errors = [{instancePath:instancePath+"/name",schemaPath:"#/properties/name/format",keyword:"format",params:{format: "printable"}}];
return false;
}
}
}
}
else {
validate129.errors = [{instancePath:instancePath+"/name",schemaPath:"#/properties/name/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.qualifying_threshold !== undefined){
let data2 = data.qualifying_threshold;
const _errs6 = errors;
if(!(((typeof data2 == "number") && (!(data2 % 1) && !isNaN(data2))) && (isFinite(data2)))){
validate129.errors = [{instancePath:instancePath+"/qualifying_threshold",schemaPath:"#/properties/qualifying_threshold/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs6){
if((typeof data2 == "number") && (isFinite(data2))){
if(data2 > 1000000 || isNaN(data2)){
validate129.errors = [{instancePath:instancePath+"/qualifying_threshold",schemaPath:"#/properties/qualifying_threshold/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1000000}}];
return false;
}
else {
if(data2 < 1 || isNaN(data2)){
validate129.errors = [{instancePath:instancePath+"/qualifying_threshold",schemaPath:"#/properties/qualifying_threshold/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1}}];
return false;
}
}
}
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.reward_config !== undefined){
const _errs8 = errors;
if(!(validate117(data.reward_config, {instancePath:instancePath+"/reward_config",parentData:data,parentDataProperty:"reward_config",rootData}))){
vErrors = vErrors === null ? validate117.errors : vErrors.concat(validate117.errors);
errors = vErrors.length;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.display_content !== undefined){
const _errs9 = errors;
if(!(validate119(data.display_content, {instancePath:instancePath+"/display_content",parentData:data,parentDataProperty:"display_content",rootData}))){
vErrors = vErrors === null ? validate119.errors : vErrors.concat(validate119.errors);
errors = vErrors.length;
}
var valid0 = _errs9 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.rules !== undefined){
const _errs10 = errors;
if(!(validate123(data.rules, {instancePath:instancePath+"/rules",parentData:data,parentDataProperty:"rules",rootData}))){
vErrors = vErrors === null ? validate123.errors : vErrors.concat(validate123.errors);
errors = vErrors.length;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
else {
validate129.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate129.errors = vErrors;
return errors === 0;
}

export const validate_platform_deal_upsert = validate133;
const schema72 = {"type":"object","required":["name","reward_config","display_content","rules"],"properties":{"id":{"type":"string"},"name":{"type":"string","minLength":1,"maxLength":256,"format":"printable"},"reward_config":{"$ref":"shared_6"},"display_content":{"$ref":"shared_3"},"rules":{"$ref":"shared_5"},"starts_at":{"type":"string","format":"timestamp"},"ends_at":{"type":"string","format":"timestamp"}},"additionalProperties":false};
const schema73 = {"type":"object","required":["type"],"discriminator":{"propertyName":"type"},"oneOf":[{"type":"object","required":["type","percent"],"properties":{"type":{"type":"string","const":"percent"},"percent":{"type":"number","exclusiveMinimum":0,"maximum":100},"max_amount":{"type":"integer","minimum":0,"maximum":9007199254740991}},"additionalProperties":false},{"type":"object","required":["type","amount","currency"],"properties":{"type":{"type":"string","const":"fixed"},"amount":{"type":"integer","minimum":0,"maximum":9007199254740991},"currency":{"type":"string","format":"currency"}},"additionalProperties":false}]};

function validate134(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.type === undefined) && (missing0 = "type")){
validate134.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const tag0 = data.type;
if(typeof tag0 == "string"){
if(tag0 === "percent"){
const _errs2 = errors;
if(errors === _errs2){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing1;
if(((data.type === undefined) && (missing1 = "type")) || ((data.percent === undefined) && (missing1 = "percent"))){
validate134.errors = [{instancePath,schemaPath:"#/oneOf/0/required",keyword:"required",params:{missingProperty: missing1}}];
return false;
}
else {
const _errs4 = errors;
for(const key0 in data){
if(!(((key0 === "type") || (key0 === "percent")) || (key0 === "max_amount"))){
validate134.errors = [{instancePath,schemaPath:"#/oneOf/0/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs4 === errors){
if(data.type !== undefined){
let data0 = data.type;
const _errs5 = errors;
if(typeof data0 !== "string"){
validate134.errors = [{instancePath:instancePath+"/type",schemaPath:"#/oneOf/0/properties/type/type",keyword:"type",params:{type: "string"}}];
return false;
}
if("percent" !== data0){
validate134.errors = [{instancePath:instancePath+"/type",schemaPath:"#/oneOf/0/properties/type/const",keyword:"const",params:{allowedValue: "percent"}}];
return false;
}
var valid2 = _errs5 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data.percent !== undefined){
let data1 = data.percent;
const _errs7 = errors;
if(errors === _errs7){
if((typeof data1 == "number") && (isFinite(data1))){
if(data1 > 100 || isNaN(data1)){
validate134.errors = [{instancePath:instancePath+"/percent",schemaPath:"#/oneOf/0/properties/percent/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100}}];
return false;
}
else {
if(data1 <= 0 || isNaN(data1)){
validate134.errors = [{instancePath:instancePath+"/percent",schemaPath:"#/oneOf/0/properties/percent/exclusiveMinimum",keyword:"exclusiveMinimum",params:{comparison: ">", limit: 0}}];
return false;
}
}
}
else {
validate134.errors = [{instancePath:instancePath+"/percent",schemaPath:"#/oneOf/0/properties/percent/type",keyword:"type",params:{type: "number"}}];
return false;
}
}
var valid2 = _errs7 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data.max_amount !== undefined){
let data2 = data.max_amount;
const _errs9 = errors;
if(!(((typeof data2 == "number") && (!(data2 % 1) && !isNaN(data2))) && (isFinite(data2)))){
validate134.errors = [{instancePath:instancePath+"/max_amount",schemaPath:"#/oneOf/0/properties/max_amount/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs9){
if((typeof data2 == "number") && (isFinite(data2))){
if(data2 > 9007199254740991 || isNaN(data2)){
validate134.errors = [{instancePath:instancePath+"/max_amount",schemaPath:"#/oneOf/0/properties/max_amount/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991}}];
return false;
}
else {
if(data2 < 0 || isNaN(data2)){
validate134.errors = [{instancePath:instancePath+"/max_amount",schemaPath:"#/oneOf/0/properties/max_amount/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}}];
return false;
}
}
}
}
var valid2 = _errs9 === errors;
}
else {
var valid2 = true;
}
}
}
}
}
}
else {
validate134.errors = [{instancePath,schemaPath:"#/oneOf/0/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
}
else if(tag0 === "fixed"){
const _errs11 = errors;
if(errors === _errs11){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing2;
if((((data.type === undefined) && (missing2 = "type")) || ((data.amount === undefined) && (missing2 = "amount"))) || ((data.currency === undefined) && (missing2 = "currency"))){
validate134.errors = [{instancePath,schemaPath:"#/oneOf/1/required",keyword:"required",params:{missingProperty: missing2}}];
return false;
}
else {
const _errs13 = errors;
for(const key1 in data){
if(!(((key1 === "type") || (key1 === "amount")) || (key1 === "currency"))){
validate134.errors = [{instancePath,schemaPath:"#/oneOf/1/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
return false;
break;
}
}
if(_errs13 === errors){
if(data.type !== undefined){
let data3 = data.type;
const _errs14 = errors;
if(typeof data3 !== "string"){
validate134.errors = [{instancePath:instancePath+"/type",schemaPath:"#/oneOf/1/properties/type/type",keyword:"type",params:{type: "string"}}];
return false;
}
if("fixed" !== data3){
validate134.errors = [{instancePath:instancePath+"/type",schemaPath:"#/oneOf/1/properties/type/const",keyword:"const",params:{allowedValue: "fixed"}}];
return false;
}
var valid4 = _errs14 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data.amount !== undefined){
let data4 = data.amount;
const _errs16 = errors;
if(!(((typeof data4 == "number") && (!(data4 % 1) && !isNaN(data4))) && (isFinite(data4)))){
validate134.errors = [{instancePath:instancePath+"/amount",schemaPath:"#/oneOf/1/properties/amount/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs16){
if((typeof data4 == "number") && (isFinite(data4))){
if(data4 > 9007199254740991 || isNaN(data4)){
validate134.errors = [{instancePath:instancePath+"/amount",schemaPath:"#/oneOf/1/properties/amount/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991}}];
return false;
}
else {
if(data4 < 0 || isNaN(data4)){
validate134.errors = [{instancePath:instancePath+"/amount",schemaPath:"#/oneOf/1/properties/amount/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}}];
return false;
}
}
}
}
var valid4 = _errs16 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data.currency !== undefined){
let data5 = data.currency;
const _errs18 = errors;
if(errors === _errs18){
if(errors === _errs18){
if(typeof data5 === "string"){
if(!(formats118(data5))){
validate134.errors = [{instancePath:instancePath+"/currency",schemaPath:"#/oneOf/1/properties/currency/format",keyword:"format",params:{format: "currency"}}];
return false;
}
}
else {
validate134.errors = [{instancePath:instancePath+"/currency",schemaPath:"#/oneOf/1/properties/currency/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid4 = _errs18 === errors;
}
else {
var valid4 = true;
}
}
}
}
}
}
else {
validate134.errors = [{instancePath,schemaPath:"#/oneOf/1/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
}
else {
validate134.errors = [{instancePath,schemaPath:"#/discriminator",keyword:"discriminator",params:{tag: "type", allowedValues: ["percent","fixed"]}}];
return false;
}
}
else {
validate134.errors = [{instancePath,schemaPath:"#/discriminator",keyword:"discriminator",params:{tag: "type", allowedValues: ["percent","fixed"]}}];
return false;
}
}
}
else {
validate134.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate134.errors = vErrors;
return errors === 0;
}


function validate133(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((((data.name === undefined) && (missing0 = "name")) || ((data.reward_config === undefined) && (missing0 = "reward_config"))) || ((data.display_content === undefined) && (missing0 = "display_content"))) || ((data.rules === undefined) && (missing0 = "rules"))){
validate133.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((((((key0 === "id") || (key0 === "name")) || (key0 === "reward_config")) || (key0 === "display_content")) || (key0 === "rules")) || (key0 === "starts_at")) || (key0 === "ends_at"))){
validate133.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
const _errs2 = errors;
if(typeof data.id !== "string"){
validate133.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.name !== undefined){
let data1 = data.name;
const _errs4 = errors;
if(errors === _errs4){
if(errors === _errs4){
if(typeof data1 === "string"){
if(func2(data1) > 256){
validate133.errors = [{instancePath:instancePath+"/name",schemaPath:"#/properties/name/maxLength",keyword:"maxLength",params:{limit: 256}}];
return false;
}
else {
if(func2(data1) < 1){
validate133.errors = [{instancePath:instancePath+"/name",schemaPath:"#/properties/name/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats4(data1))){
validate133.errors = [{instancePath:instancePath+"/name",schemaPath:"#/properties/name/format",keyword:"format",params:{format: "printable"}}];
return false;
}
}
}
}
else {
validate133.errors = [{instancePath:instancePath+"/name",schemaPath:"#/properties/name/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.reward_config !== undefined){
const _errs6 = errors;
if(!(validate134(data.reward_config, {instancePath:instancePath+"/reward_config",parentData:data,parentDataProperty:"reward_config",rootData}))){
vErrors = vErrors === null ? validate134.errors : vErrors.concat(validate134.errors);
errors = vErrors.length;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.display_content !== undefined){
const _errs7 = errors;
if(!(validate119(data.display_content, {instancePath:instancePath+"/display_content",parentData:data,parentDataProperty:"display_content",rootData}))){
vErrors = vErrors === null ? validate119.errors : vErrors.concat(validate119.errors);
errors = vErrors.length;
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.rules !== undefined){
const _errs8 = errors;
if(!(validate123(data.rules, {instancePath:instancePath+"/rules",parentData:data,parentDataProperty:"rules",rootData}))){
vErrors = vErrors === null ? validate123.errors : vErrors.concat(validate123.errors);
errors = vErrors.length;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.starts_at !== undefined){
let data5 = data.starts_at;
const _errs9 = errors;
if(errors === _errs9){
if(errors === _errs9){
if(typeof data5 === "string"){
if(!(formats2(data5))){
validate133.errors = [{instancePath:instancePath+"/starts_at",schemaPath:"#/properties/starts_at/format",keyword:"format",params:{format: "timestamp"}}];
return false;
}
}
else {
validate133.errors = [{instancePath:instancePath+"/starts_at",schemaPath:"#/properties/starts_at/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs9 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.ends_at !== undefined){
let data6 = data.ends_at;
const _errs11 = errors;
if(errors === _errs11){
if(errors === _errs11){
if(typeof data6 === "string"){
if(!(formats2(data6))){
validate133.errors = [{instancePath:instancePath+"/ends_at",schemaPath:"#/properties/ends_at/format",keyword:"format",params:{format: "timestamp"}}];
return false;
}
}
else {
validate133.errors = [{instancePath:instancePath+"/ends_at",schemaPath:"#/properties/ends_at/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs11 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
else {
validate133.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate133.errors = vErrors;
return errors === 0;
}

export const validate_platform_deal_get = validate138;
const schema74 = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};

function validate138(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.id === undefined) && (missing0 = "id")){
validate138.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "id")){
validate138.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
if(typeof data.id !== "string"){
validate138.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
}
}
else {
validate138.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate138.errors = vErrors;
return errors === 0;
}

export const validate_platform_deal_list = validate139;
const schema75 = {"type":"object","properties":{"pagination":{"$ref":"shared_1"}},"additionalProperties":false};

function validate139(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "pagination")){
validate139.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.pagination !== undefined){
if(!(validate23(data.pagination, {instancePath:instancePath+"/pagination",parentData:data,parentDataProperty:"pagination",rootData}))){
vErrors = vErrors === null ? validate23.errors : vErrors.concat(validate23.errors);
errors = vErrors.length;
}
}
}
}
else {
validate139.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate139.errors = vErrors;
return errors === 0;
}

export const validate_platform_deal_delete = validate141;
const schema76 = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};

function validate141(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.id === undefined) && (missing0 = "id")){
validate141.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "id")){
validate141.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
if(typeof data.id !== "string"){
validate141.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
}
}
else {
validate141.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate141.errors = vErrors;
return errors === 0;
}

export const validate_platform_deal_dry_run = validate142;
const schema77 = {"type":"object","required":["name","reward_config","display_content","rules"],"properties":{"id":{"type":"string"},"name":{"type":"string","minLength":1,"maxLength":256,"format":"printable"},"reward_config":{"$ref":"shared_6"},"display_content":{"$ref":"shared_3"},"rules":{"$ref":"shared_5"},"starts_at":{"type":"string","format":"timestamp"},"ends_at":{"type":"string","format":"timestamp"}},"additionalProperties":false};

function validate142(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((((data.name === undefined) && (missing0 = "name")) || ((data.reward_config === undefined) && (missing0 = "reward_config"))) || ((data.display_content === undefined) && (missing0 = "display_content"))) || ((data.rules === undefined) && (missing0 = "rules"))){
validate142.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((((((key0 === "id") || (key0 === "name")) || (key0 === "reward_config")) || (key0 === "display_content")) || (key0 === "rules")) || (key0 === "starts_at")) || (key0 === "ends_at"))){
validate142.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
const _errs2 = errors;
if(typeof data.id !== "string"){
validate142.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.name !== undefined){
let data1 = data.name;
const _errs4 = errors;
if(errors === _errs4){
if(errors === _errs4){
if(typeof data1 === "string"){
if(func2(data1) > 256){
validate142.errors = [{instancePath:instancePath+"/name",schemaPath:"#/properties/name/maxLength",keyword:"maxLength",params:{limit: 256}}];
return false;
}
else {
if(func2(data1) < 1){
validate142.errors = [{instancePath:instancePath+"/name",schemaPath:"#/properties/name/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats4(data1))){
validate142.errors = [{instancePath:instancePath+"/name",schemaPath:"#/properties/name/format",keyword:"format",params:{format: "printable"}}];
return false;
}
}
}
}
else {
validate142.errors = [{instancePath:instancePath+"/name",schemaPath:"#/properties/name/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.reward_config !== undefined){
const _errs6 = errors;
if(!(validate134(data.reward_config, {instancePath:instancePath+"/reward_config",parentData:data,parentDataProperty:"reward_config",rootData}))){
vErrors = vErrors === null ? validate134.errors : vErrors.concat(validate134.errors);
errors = vErrors.length;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.display_content !== undefined){
const _errs7 = errors;
if(!(validate119(data.display_content, {instancePath:instancePath+"/display_content",parentData:data,parentDataProperty:"display_content",rootData}))){
vErrors = vErrors === null ? validate119.errors : vErrors.concat(validate119.errors);
errors = vErrors.length;
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.rules !== undefined){
const _errs8 = errors;
if(!(validate123(data.rules, {instancePath:instancePath+"/rules",parentData:data,parentDataProperty:"rules",rootData}))){
vErrors = vErrors === null ? validate123.errors : vErrors.concat(validate123.errors);
errors = vErrors.length;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.starts_at !== undefined){
let data5 = data.starts_at;
const _errs9 = errors;
if(errors === _errs9){
if(errors === _errs9){
if(typeof data5 === "string"){
if(!(formats2(data5))){
validate142.errors = [{instancePath:instancePath+"/starts_at",schemaPath:"#/properties/starts_at/format",keyword:"format",params:{format: "timestamp"}}];
return false;
}
}
else {
validate142.errors = [{instancePath:instancePath+"/starts_at",schemaPath:"#/properties/starts_at/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs9 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.ends_at !== undefined){
let data6 = data.ends_at;
const _errs11 = errors;
if(errors === _errs11){
if(errors === _errs11){
if(typeof data6 === "string"){
if(!(formats2(data6))){
validate142.errors = [{instancePath:instancePath+"/ends_at",schemaPath:"#/properties/ends_at/format",keyword:"format",params:{format: "timestamp"}}];
return false;
}
}
else {
validate142.errors = [{instancePath:instancePath+"/ends_at",schemaPath:"#/properties/ends_at/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs11 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
else {
validate142.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate142.errors = vErrors;
return errors === 0;
}

export const validate_platform_retailer_upsert = validate146;
const schema78 = {"type":"object","required":["name","merchant_ids"],"properties":{"id":{"type":"string"},"name":{"type":"string","minLength":1,"maxLength":256,"format":"printable"},"merchant_ids":{"type":"array","items":{"type":"string","minLength":1,"maxLength":64,"format":"printable"},"minItems":1,"maxItems":1000},"statement_descriptors":{"type":"array","items":{"type":"string","minLength":1,"maxLength":128,"format":"printable"},"maxItems":1000}},"additionalProperties":false};

function validate146(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.name === undefined) && (missing0 = "name")) || ((data.merchant_ids === undefined) && (missing0 = "merchant_ids"))){
validate146.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((((key0 === "id") || (key0 === "name")) || (key0 === "merchant_ids")) || (key0 === "statement_descriptors"))){
validate146.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
const _errs2 = errors;
if(typeof data.id !== "string"){
validate146.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.name !== undefined){
let data1 = data.name;
const _errs4 = errors;
if(errors === _errs4){
if(errors === _errs4){
if(typeof data1 === "string"){
if(func2(data1) > 256){
validate146.errors = [{instancePath:instancePath+"/name",schemaPath:"#/properties/name/maxLength",keyword:"maxLength",params:{limit: 256}}];
return false;
}
else {
if(func2(data1) < 1){
validate146.errors = [{instancePath:instancePath+"/name",schemaPath:"#/properties/name/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats4(data1))){
validate146.errors = [{instancePath:instancePath+"/name",schemaPath:"#/properties/name/format",keyword:"format",params:{format: "printable"}}];
return false;
}
}
}
}
else {
validate146.errors = [{instancePath:instancePath+"/name",schemaPath:"#/properties/name/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.merchant_ids !== undefined){
let data2 = data.merchant_ids;
const _errs6 = errors;
if(errors === _errs6){
if(Array.isArray(data2)){
if(data2.length > 1000){
validate146.errors = [{instancePath:instancePath+"/merchant_ids",schemaPath:"#/properties/merchant_ids/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data2.length < 1){
validate146.errors = [{instancePath:instancePath+"/merchant_ids",schemaPath:"#/properties/merchant_ids/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid1 = true;
const len0 = data2.length;
for(let i0=0; i0<len0; i0++){
let data3 = data2[i0];
const _errs8 = errors;
if(errors === _errs8){
if(errors === _errs8){
if(typeof data3 === "string"){
if(func2(data3) > 64){
validate146.errors = [{instancePath:instancePath+"/merchant_ids/" + i0,schemaPath:"#/properties/merchant_ids/items/maxLength",keyword:"maxLength",params:{limit: 64}}];
return false;
}
else {
if(func2(data3) < 1){
validate146.errors = [{instancePath:instancePath+"/merchant_ids/" + i0,schemaPath:"#/properties/merchant_ids/items/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats4(data3))){
validate146.errors = [{instancePath:instancePath+"/merchant_ids/" + i0,schemaPath:"#/properties/merchant_ids/items/format",keyword:"format",params:{format: "printable"}}];
return false;
}
}
}
}
else {
validate146.errors = [{instancePath:instancePath+"/merchant_ids/" + i0,schemaPath:"#/properties/merchant_ids/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid1 = _errs8 === errors;
if(!valid1){
break;
}
}
}
}
}
else {
validate146.errors = [{instancePath:instancePath+"/merchant_ids",schemaPath:"#/properties/merchant_ids/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.statement_descriptors !== undefined){
let data4 = data.statement_descriptors;
const _errs10 = errors;
if(errors === _errs10){
if(Array.isArray(data4)){
if(data4.length > 1000){
validate146.errors = [{instancePath:instancePath+"/statement_descriptors",schemaPath:"#/properties/statement_descriptors/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
var valid2 = true;
const len1 = data4.length;
for(let i1=0; i1<len1; i1++){
let data5 = data4[i1];
const _errs12 = errors;
if(errors === _errs12){
if(errors === _errs12){
if(typeof data5 === "string"){
if(func2(data5) > 128){
validate146.errors = [{instancePath:instancePath+"/statement_descriptors/" + i1,schemaPath:"#/properties/statement_descriptors/items/maxLength",keyword:"maxLength",params:{limit: 128}}];
return false;
}
else {
if(func2(data5) < 1){
validate146.errors = [{instancePath:instancePath+"/statement_descriptors/" + i1,schemaPath:"#/properties/statement_descriptors/items/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats4(data5))){
validate146.errors = [{instancePath:instancePath+"/statement_descriptors/" + i1,schemaPath:"#/properties/statement_descriptors/items/format",keyword:"format",params:{format: "printable"}}];
return false;
}
}
}
}
else {
validate146.errors = [{instancePath:instancePath+"/statement_descriptors/" + i1,schemaPath:"#/properties/statement_descriptors/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid2 = _errs12 === errors;
if(!valid2){
break;
}
}
}
}
else {
validate146.errors = [{instancePath:instancePath+"/statement_descriptors",schemaPath:"#/properties/statement_descriptors/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
else {
validate146.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate146.errors = vErrors;
return errors === 0;
}

export const validate_platform_retailer_get = validate147;
const schema79 = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};

function validate147(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.id === undefined) && (missing0 = "id")){
validate147.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "id")){
validate147.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
if(typeof data.id !== "string"){
validate147.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
}
}
else {
validate147.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate147.errors = vErrors;
return errors === 0;
}

export const validate_platform_retailer_list = validate148;
const schema80 = {"type":"object","properties":{"pagination":{"$ref":"shared_1"}},"additionalProperties":false};

function validate148(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "pagination")){
validate148.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.pagination !== undefined){
if(!(validate23(data.pagination, {instancePath:instancePath+"/pagination",parentData:data,parentDataProperty:"pagination",rootData}))){
vErrors = vErrors === null ? validate23.errors : vErrors.concat(validate23.errors);
errors = vErrors.length;
}
}
}
}
else {
validate148.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate148.errors = vErrors;
return errors === 0;
}

export const validate_platform_retailer_rotate_token = validate150;
const schema81 = {"type":"object","required":["id"],"properties":{"id":{"type":"string"},"overlap_seconds":{"type":"integer","minimum":0,"maximum":604800}},"additionalProperties":false};

function validate150(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.id === undefined) && (missing0 = "id")){
validate150.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "id") || (key0 === "overlap_seconds"))){
validate150.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
const _errs2 = errors;
if(typeof data.id !== "string"){
validate150.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.overlap_seconds !== undefined){
let data1 = data.overlap_seconds;
const _errs4 = errors;
if(!(((typeof data1 == "number") && (!(data1 % 1) && !isNaN(data1))) && (isFinite(data1)))){
validate150.errors = [{instancePath:instancePath+"/overlap_seconds",schemaPath:"#/properties/overlap_seconds/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs4){
if((typeof data1 == "number") && (isFinite(data1))){
if(data1 > 604800 || isNaN(data1)){
validate150.errors = [{instancePath:instancePath+"/overlap_seconds",schemaPath:"#/properties/overlap_seconds/maximum",keyword:"maximum",params:{comparison: "<=", limit: 604800}}];
return false;
}
else {
if(data1 < 0 || isNaN(data1)){
validate150.errors = [{instancePath:instancePath+"/overlap_seconds",schemaPath:"#/properties/overlap_seconds/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}}];
return false;
}
}
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate150.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate150.errors = vErrors;
return errors === 0;
}

export const validate_platform_retailer_delete = validate151;
const schema82 = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};

function validate151(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.id === undefined) && (missing0 = "id")){
validate151.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "id")){
validate151.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
if(typeof data.id !== "string"){
validate151.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
}
}
else {
validate151.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate151.errors = vErrors;
return errors === 0;
}

export const validate_platform_payment_ingest = validate152;
const schema83 = {"type":"object","required":["payments"],"properties":{"retailer_id":{"type":"string"},"payments":{"type":"array","items":{"type":"object","required":["payment_id","identifiers","amount","currency","paid_at"],"properties":{"payment_id":{"type":"string","minLength":1,"maxLength":128,"format":"printable"},"identifiers":{"type":"array","items":{"type":"string","pattern":"^[0-9a-f]{64}$"},"minItems":1,"maxItems":8},"bin_digits":{"type":"array","items":{"type":"integer","enum":[6,8]},"minItems":1,"maxItems":8,"description":"Over how many digits of the card each identifier is, in their order."},"amount":{"type":"integer","minimum":0,"maximum":9007199254740991},"currency":{"type":"string","format":"currency"},"paid_at":{"type":"string","format":"timestamp"}},"additionalProperties":false},"minItems":1,"maxItems":5000}},"additionalProperties":false};
const pattern1 = new RegExp("^[0-9a-f]{64}$", "u");

function validate152(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.payments === undefined) && (missing0 = "payments")){
validate152.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "retailer_id") || (key0 === "payments"))){
validate152.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.retailer_id !== undefined){
const _errs2 = errors;
if(typeof data.retailer_id !== "string"){
validate152.errors = [{instancePath:instancePath+"/retailer_id",schemaPath:"#/properties/retailer_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.payments !== undefined){
let data1 = data.payments;
const _errs4 = errors;
if(errors === _errs4){
if(Array.isArray(data1)){
if(data1.length > 5000){
validate152.errors = [{instancePath:instancePath+"/payments",schemaPath:"#/properties/payments/maxItems",keyword:"maxItems",params:{limit: 5000}}];
return false;
}
else {
if(data1.length < 1){
validate152.errors = [{instancePath:instancePath+"/payments",schemaPath:"#/properties/payments/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid1 = true;
const len0 = data1.length;
for(let i0=0; i0<len0; i0++){
let data2 = data1[i0];
const _errs6 = errors;
if(errors === _errs6){
if(data2 && typeof data2 == "object" && !Array.isArray(data2)){
let missing1;
if((((((data2.payment_id === undefined) && (missing1 = "payment_id")) || ((data2.identifiers === undefined) && (missing1 = "identifiers"))) || ((data2.amount === undefined) && (missing1 = "amount"))) || ((data2.currency === undefined) && (missing1 = "currency"))) || ((data2.paid_at === undefined) && (missing1 = "paid_at"))){
validate152.errors = [{instancePath:instancePath+"/payments/" + i0,schemaPath:"#/properties/payments/items/required",keyword:"required",params:{missingProperty: missing1}}];
return false;
}
else {
const _errs8 = errors;
for(const key1 in data2){
if(!((((((key1 === "payment_id") || (key1 === "identifiers")) || (key1 === "bin_digits")) || (key1 === "amount")) || (key1 === "currency")) || (key1 === "paid_at"))){
validate152.errors = [{instancePath:instancePath+"/payments/" + i0,schemaPath:"#/properties/payments/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
return false;
break;
}
}
if(_errs8 === errors){
if(data2.payment_id !== undefined){
let data3 = data2.payment_id;
const _errs9 = errors;
if(errors === _errs9){
if(errors === _errs9){
if(typeof data3 === "string"){
if(func2(data3) > 128){
validate152.errors = [{instancePath:instancePath+"/payments/" + i0+"/payment_id",schemaPath:"#/properties/payments/items/properties/payment_id/maxLength",keyword:"maxLength",params:{limit: 128}}];
return false;
}
else {
if(func2(data3) < 1){
validate152.errors = [{instancePath:instancePath+"/payments/" + i0+"/payment_id",schemaPath:"#/properties/payments/items/properties/payment_id/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats4(data3))){
validate152.errors = [{instancePath:instancePath+"/payments/" + i0+"/payment_id",schemaPath:"#/properties/payments/items/properties/payment_id/format",keyword:"format",params:{format: "printable"}}];
return false;
}
}
}
}
else {
validate152.errors = [{instancePath:instancePath+"/payments/" + i0+"/payment_id",schemaPath:"#/properties/payments/items/properties/payment_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid2 = _errs9 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data2.identifiers !== undefined){
let data4 = data2.identifiers;
const _errs11 = errors;
if(errors === _errs11){
if(Array.isArray(data4)){
if(data4.length > 8){
validate152.errors = [{instancePath:instancePath+"/payments/" + i0+"/identifiers",schemaPath:"#/properties/payments/items/properties/identifiers/maxItems",keyword:"maxItems",params:{limit: 8}}];
return false;
}
else {
if(data4.length < 1){
validate152.errors = [{instancePath:instancePath+"/payments/" + i0+"/identifiers",schemaPath:"#/properties/payments/items/properties/identifiers/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid3 = true;
const len1 = data4.length;
for(let i1=0; i1<len1; i1++){
let data5 = data4[i1];
const _errs13 = errors;
if(errors === _errs13){
if(typeof data5 === "string"){
if(!pattern1.test(data5)){
validate152.errors = [{instancePath:instancePath+"/payments/" + i0+"/identifiers/" + i1,schemaPath:"#/properties/payments/items/properties/identifiers/items/pattern",keyword:"pattern",params:{pattern: "^[0-9a-f]{64}$"}}];
return false;
}
}
else {
validate152.errors = [{instancePath:instancePath+"/payments/" + i0+"/identifiers/" + i1,schemaPath:"#/properties/payments/items/properties/identifiers/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid3 = _errs13 === errors;
if(!valid3){
break;
}
}
}
}
}
else {
validate152.errors = [{instancePath:instancePath+"/payments/" + i0+"/identifiers",schemaPath:"#/properties/payments/items/properties/identifiers/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid2 = _errs11 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data2.bin_digits !== undefined){
let data6 = data2.bin_digits;
const _errs15 = errors;
if(errors === _errs15){
if(Array.isArray(data6)){
if(data6.length > 8){
validate152.errors = [{instancePath:instancePath+"/payments/" + i0+"/bin_digits",schemaPath:"#/properties/payments/items/properties/bin_digits/maxItems",keyword:"maxItems",params:{limit: 8}}];
return false;
}
else {
if(data6.length < 1){
validate152.errors = [{instancePath:instancePath+"/payments/" + i0+"/bin_digits",schemaPath:"#/properties/payments/items/properties/bin_digits/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid4 = true;
const len2 = data6.length;
for(let i2=0; i2<len2; i2++){
let data7 = data6[i2];
const _errs17 = errors;
if(!(((typeof data7 == "number") && (!(data7 % 1) && !isNaN(data7))) && (isFinite(data7)))){
validate152.errors = [{instancePath:instancePath+"/payments/" + i0+"/bin_digits/" + i2,schemaPath:"#/properties/payments/items/properties/bin_digits/items/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(!((data7 === 6) || (data7 === 8))){
validate152.errors = [{instancePath:instancePath+"/payments/" + i0+"/bin_digits/" + i2,schemaPath:"#/properties/payments/items/properties/bin_digits/items/enum",keyword:"enum",params:{allowedValues: schema83.properties.payments.items.properties.bin_digits.items.enum}}];
return false;
}
var valid4 = _errs17 === errors;
if(!valid4){
break;
}
}
}
}
}
else {
validate152.errors = [{instancePath:instancePath+"/payments/" + i0+"/bin_digits",schemaPath:"#/properties/payments/items/properties/bin_digits/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid2 = _errs15 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data2.amount !== undefined){
let data8 = data2.amount;
const _errs19 = errors;
if(!(((typeof data8 == "number") && (!(data8 % 1) && !isNaN(data8))) && (isFinite(data8)))){
validate152.errors = [{instancePath:instancePath+"/payments/" + i0+"/amount",schemaPath:"#/properties/payments/items/properties/amount/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs19){
if((typeof data8 == "number") && (isFinite(data8))){
if(data8 > 9007199254740991 || isNaN(data8)){
validate152.errors = [{instancePath:instancePath+"/payments/" + i0+"/amount",schemaPath:"#/properties/payments/items/properties/amount/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991}}];
return false;
}
else {
if(data8 < 0 || isNaN(data8)){
validate152.errors = [{instancePath:instancePath+"/payments/" + i0+"/amount",schemaPath:"#/properties/payments/items/properties/amount/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}}];
return false;
}
}
}
}
var valid2 = _errs19 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data2.currency !== undefined){
let data9 = data2.currency;
const _errs21 = errors;
if(errors === _errs21){
if(errors === _errs21){
if(typeof data9 === "string"){
if(!(formats118(data9))){
validate152.errors = [{instancePath:instancePath+"/payments/" + i0+"/currency",schemaPath:"#/properties/payments/items/properties/currency/format",keyword:"format",params:{format: "currency"}}];
return false;
}
}
else {
validate152.errors = [{instancePath:instancePath+"/payments/" + i0+"/currency",schemaPath:"#/properties/payments/items/properties/currency/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid2 = _errs21 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data2.paid_at !== undefined){
let data10 = data2.paid_at;
const _errs23 = errors;
if(errors === _errs23){
if(errors === _errs23){
if(typeof data10 === "string"){
if(!(formats2(data10))){
validate152.errors = [{instancePath:instancePath+"/payments/" + i0+"/paid_at",schemaPath:"#/properties/payments/items/properties/paid_at/format",keyword:"format",params:{format: "timestamp"}}];
return false;
}
}
else {
validate152.errors = [{instancePath:instancePath+"/payments/" + i0+"/paid_at",schemaPath:"#/properties/payments/items/properties/paid_at/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid2 = _errs23 === errors;
}
else {
var valid2 = true;
}
}
}
}
}
}
}
}
}
else {
validate152.errors = [{instancePath:instancePath+"/payments/" + i0,schemaPath:"#/properties/payments/items/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid1 = _errs6 === errors;
if(!valid1){
break;
}
}
}
}
}
else {
validate152.errors = [{instancePath:instancePath+"/payments",schemaPath:"#/properties/payments/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate152.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate152.errors = vErrors;
return errors === 0;
}

export const validate_platform_payment_get = validate153;
const schema84 = {"type":"object","required":["retailer_id","payment_id"],"properties":{"retailer_id":{"type":"string"},"payment_id":{"type":"string","minLength":1,"maxLength":128,"format":"printable"}},"additionalProperties":false};

function validate153(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.retailer_id === undefined) && (missing0 = "retailer_id")) || ((data.payment_id === undefined) && (missing0 = "payment_id"))){
validate153.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "retailer_id") || (key0 === "payment_id"))){
validate153.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.retailer_id !== undefined){
const _errs2 = errors;
if(typeof data.retailer_id !== "string"){
validate153.errors = [{instancePath:instancePath+"/retailer_id",schemaPath:"#/properties/retailer_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.payment_id !== undefined){
let data1 = data.payment_id;
const _errs4 = errors;
if(errors === _errs4){
if(errors === _errs4){
if(typeof data1 === "string"){
if(func2(data1) > 128){
validate153.errors = [{instancePath:instancePath+"/payment_id",schemaPath:"#/properties/payment_id/maxLength",keyword:"maxLength",params:{limit: 128}}];
return false;
}
else {
if(func2(data1) < 1){
validate153.errors = [{instancePath:instancePath+"/payment_id",schemaPath:"#/properties/payment_id/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats4(data1))){
validate153.errors = [{instancePath:instancePath+"/payment_id",schemaPath:"#/properties/payment_id/format",keyword:"format",params:{format: "printable"}}];
return false;
}
}
}
}
else {
validate153.errors = [{instancePath:instancePath+"/payment_id",schemaPath:"#/properties/payment_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate153.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate153.errors = vErrors;
return errors === 0;
}

export const validate_platform_payment_list = validate154;
const schema85 = {"type":"object","properties":{"retailer_id":{"type":"string"},"since":{"type":"string","format":"timestamp","description":"Paid at this time or later."},"until":{"type":"string","format":"timestamp","description":"Paid before this time."},"pagination":{"$ref":"shared_1"}},"additionalProperties":false};

function validate154(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!((((key0 === "retailer_id") || (key0 === "since")) || (key0 === "until")) || (key0 === "pagination"))){
validate154.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.retailer_id !== undefined){
const _errs2 = errors;
if(typeof data.retailer_id !== "string"){
validate154.errors = [{instancePath:instancePath+"/retailer_id",schemaPath:"#/properties/retailer_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.since !== undefined){
let data1 = data.since;
const _errs4 = errors;
if(errors === _errs4){
if(errors === _errs4){
if(typeof data1 === "string"){
if(!(formats2(data1))){
validate154.errors = [{instancePath:instancePath+"/since",schemaPath:"#/properties/since/format",keyword:"format",params:{format: "timestamp"}}];
return false;
}
}
else {
validate154.errors = [{instancePath:instancePath+"/since",schemaPath:"#/properties/since/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.until !== undefined){
let data2 = data.until;
const _errs6 = errors;
if(errors === _errs6){
if(errors === _errs6){
if(typeof data2 === "string"){
if(!(formats2(data2))){
validate154.errors = [{instancePath:instancePath+"/until",schemaPath:"#/properties/until/format",keyword:"format",params:{format: "timestamp"}}];
return false;
}
}
else {
validate154.errors = [{instancePath:instancePath+"/until",schemaPath:"#/properties/until/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.pagination !== undefined){
const _errs8 = errors;
if(!(validate23(data.pagination, {instancePath:instancePath+"/pagination",parentData:data,parentDataProperty:"pagination",rootData}))){
vErrors = vErrors === null ? validate23.errors : vErrors.concat(validate23.errors);
errors = vErrors.length;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
else {
validate154.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate154.errors = vErrors;
return errors === 0;
}

export const validate_platform_purchase_explain = validate156;
const schema86 = {"type":"object","properties":{"transaction_id":{"type":"string"},"merchant_id":{"type":"string","minLength":1,"maxLength":64,"format":"printable"},"statement_descriptor":{"type":"string","maxLength":128,"format":"storable"},"amount":{"type":"integer","minimum":0,"maximum":9007199254740991},"currency":{"type":"string","format":"currency"},"authed_at":{"type":"string","format":"timestamp"},"cleared_at":{"type":"string","format":"timestamp"},"reverted_at":{"type":"string","format":"timestamp"},"enrolments":{"type":"array","items":{"$ref":"shared_7"},"maxItems":1000,"description":"Those of the member that count for the purchase."},"clips":{"type":"array","items":{"$ref":"shared_8"},"maxItems":1000,"description":"Those of the member that count for the purchase."}},"additionalProperties":false};
const schema87 = {"type":"object","required":["stamp_collection_id","loyalty_program_id"],"properties":{"stamp_collection_id":{"type":"string"},"loyalty_program_id":{"type":"string"}},"additionalProperties":false};

function validate157(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.stamp_collection_id === undefined) && (missing0 = "stamp_collection_id")) || ((data.loyalty_program_id === undefined) && (missing0 = "loyalty_program_id"))){
validate157.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "stamp_collection_id") || (key0 === "loyalty_program_id"))){
validate157.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.stamp_collection_id !== undefined){
const _errs2 = errors;
if(typeof data.stamp_collection_id !== "string"){
validate157.errors = [{instancePath:instancePath+"/stamp_collection_id",schemaPath:"#/properties/stamp_collection_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.loyalty_program_id !== undefined){
const _errs4 = errors;
if(typeof data.loyalty_program_id !== "string"){
validate157.errors = [{instancePath:instancePath+"/loyalty_program_id",schemaPath:"#/properties/loyalty_program_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate157.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate157.errors = vErrors;
return errors === 0;
}

const schema88 = {"type":"object","required":["clip_id","deal_id"],"properties":{"clip_id":{"type":"string"},"deal_id":{"type":"string"}},"additionalProperties":false};

function validate159(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.clip_id === undefined) && (missing0 = "clip_id")) || ((data.deal_id === undefined) && (missing0 = "deal_id"))){
validate159.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "clip_id") || (key0 === "deal_id"))){
validate159.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.clip_id !== undefined){
const _errs2 = errors;
if(typeof data.clip_id !== "string"){
validate159.errors = [{instancePath:instancePath+"/clip_id",schemaPath:"#/properties/clip_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.deal_id !== undefined){
const _errs4 = errors;
if(typeof data.deal_id !== "string"){
validate159.errors = [{instancePath:instancePath+"/deal_id",schemaPath:"#/properties/deal_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate159.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate159.errors = vErrors;
return errors === 0;
}


function validate156(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!(func22.call(schema86.properties, key0))){
validate156.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.transaction_id !== undefined){
const _errs2 = errors;
if(typeof data.transaction_id !== "string"){
validate156.errors = [{instancePath:instancePath+"/transaction_id",schemaPath:"#/properties/transaction_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.merchant_id !== undefined){
let data1 = data.merchant_id;
const _errs4 = errors;
if(errors === _errs4){
if(errors === _errs4){
if(typeof data1 === "string"){
if(func2(data1) > 64){
validate156.errors = [{instancePath:instancePath+"/merchant_id",schemaPath:"#/properties/merchant_id/maxLength",keyword:"maxLength",params:{limit: 64}}];
return false;
}
else {
if(func2(data1) < 1){
validate156.errors = [{instancePath:instancePath+"/merchant_id",schemaPath:"#/properties/merchant_id/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats4(data1))){
validate156.errors = [{instancePath:instancePath+"/merchant_id",schemaPath:"#/properties/merchant_id/format",keyword:"format",params:{format: "printable"}}];
return false;
}
}
}
}
else {
validate156.errors = [{instancePath:instancePath+"/merchant_id",schemaPath:"#/properties/merchant_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.statement_descriptor !== undefined){
let data2 = data.statement_descriptor;
const _errs6 = errors;
if(errors === _errs6){
if(errors === _errs6){
if(typeof data2 === "string"){
if(func2(data2) > 128){
validate156.errors = [{instancePath:instancePath+"/statement_descriptor",schemaPath:"#/properties/statement_descriptor/maxLength",keyword:"maxLength",params:{limit: 128}}];
return false;
}
else {
if(!(formats0(data2))){
validate156.errors = [{instancePath:instancePath+"/statement_descriptor",schemaPath:"#/properties/statement_descriptor/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
}
else {
validate156.errors = [{instancePath:instancePath+"/statement_descriptor",schemaPath:"#/properties/statement_descriptor/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.amount !== undefined){
let data3 = data.amount;
const _errs8 = errors;
if(!(((typeof data3 == "number") && (!(data3 % 1) && !isNaN(data3))) && (isFinite(data3)))){
validate156.errors = [{instancePath:instancePath+"/amount",schemaPath:"#/properties/amount/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs8){
if((typeof data3 == "number") && (isFinite(data3))){
if(data3 > 9007199254740991 || isNaN(data3)){
validate156.errors = [{instancePath:instancePath+"/amount",schemaPath:"#/properties/amount/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991}}];
return false;
}
else {
if(data3 < 0 || isNaN(data3)){
validate156.errors = [{instancePath:instancePath+"/amount",schemaPath:"#/properties/amount/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}}];
return false;
}
}
}
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.currency !== undefined){
let data4 = data.currency;
const _errs10 = errors;
if(errors === _errs10){
if(errors === _errs10){
if(typeof data4 === "string"){
if(!(formats118(data4))){
validate156.errors = [{instancePath:instancePath+"/currency",schemaPath:"#/properties/currency/format",keyword:"format",params:{format: "currency"}}];
return false;
}
}
else {
validate156.errors = [{instancePath:instancePath+"/currency",schemaPath:"#/properties/currency/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.authed_at !== undefined){
let data5 = data.authed_at;
const _errs12 = errors;
if(errors === _errs12){
if(errors === _errs12){
if(typeof data5 === "string"){
if(!(formats2(data5))){
validate156.errors = [{instancePath:instancePath+"/authed_at",schemaPath:"#/properties/authed_at/format",keyword:"format",params:{format: "timestamp"}}];
return false;
}
}
else {
validate156.errors = [{instancePath:instancePath+"/authed_at",schemaPath:"#/properties/authed_at/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.cleared_at !== undefined){
let data6 = data.cleared_at;
const _errs14 = errors;
if(errors === _errs14){
if(errors === _errs14){
if(typeof data6 === "string"){
if(!(formats2(data6))){
validate156.errors = [{instancePath:instancePath+"/cleared_at",schemaPath:"#/properties/cleared_at/format",keyword:"format",params:{format: "timestamp"}}];
return false;
}
}
else {
validate156.errors = [{instancePath:instancePath+"/cleared_at",schemaPath:"#/properties/cleared_at/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs14 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.reverted_at !== undefined){
let data7 = data.reverted_at;
const _errs16 = errors;
if(errors === _errs16){
if(errors === _errs16){
if(typeof data7 === "string"){
if(!(formats2(data7))){
validate156.errors = [{instancePath:instancePath+"/reverted_at",schemaPath:"#/properties/reverted_at/format",keyword:"format",params:{format: "timestamp"}}];
return false;
}
}
else {
validate156.errors = [{instancePath:instancePath+"/reverted_at",schemaPath:"#/properties/reverted_at/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs16 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.enrolments !== undefined){
let data8 = data.enrolments;
const _errs18 = errors;
if(errors === _errs18){
if(Array.isArray(data8)){
if(data8.length > 1000){
validate156.errors = [{instancePath:instancePath+"/enrolments",schemaPath:"#/properties/enrolments/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
var valid1 = true;
const len0 = data8.length;
for(let i0=0; i0<len0; i0++){
const _errs20 = errors;
if(!(validate157(data8[i0], {instancePath:instancePath+"/enrolments/" + i0,parentData:data8,parentDataProperty:i0,rootData}))){
vErrors = vErrors === null ? validate157.errors : vErrors.concat(validate157.errors);
errors = vErrors.length;
}
var valid1 = _errs20 === errors;
if(!valid1){
break;
}
}
}
}
else {
validate156.errors = [{instancePath:instancePath+"/enrolments",schemaPath:"#/properties/enrolments/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs18 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.clips !== undefined){
let data10 = data.clips;
const _errs21 = errors;
if(errors === _errs21){
if(Array.isArray(data10)){
if(data10.length > 1000){
validate156.errors = [{instancePath:instancePath+"/clips",schemaPath:"#/properties/clips/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
var valid2 = true;
const len1 = data10.length;
for(let i1=0; i1<len1; i1++){
const _errs23 = errors;
if(!(validate159(data10[i1], {instancePath:instancePath+"/clips/" + i1,parentData:data10,parentDataProperty:i1,rootData}))){
vErrors = vErrors === null ? validate159.errors : vErrors.concat(validate159.errors);
errors = vErrors.length;
}
var valid2 = _errs23 === errors;
if(!valid2){
break;
}
}
}
}
else {
validate156.errors = [{instancePath:instancePath+"/clips",schemaPath:"#/properties/clips/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs21 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate156.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate156.errors = vErrors;
return errors === 0;
}

export const validate_message_config = validate161;
const schema89 = {"anyOf":[{"type":"object","required":["v","kind","id","revision","record"],"properties":{"v":{"type":"number","const":1},"kind":{"type":"string","const":"loyalty-program"},"id":{"type":"string"},"revision":{"type":"integer","minimum":1,"maximum":9007199254740991},"record":{"anyOf":[{"type":"object","required":["name","qualifying_threshold","reward_config","display_content","created_at","updated_at"],"properties":{"name":{"type":"string"},"qualifying_threshold":{"type":"integer","minimum":1,"maximum":1000000},"reward_config":{"anyOf":[{"$ref":"shared_9"},{"$ref":"shared_10"}]},"display_content":{"$ref":"shared_11"},"currency":{"type":"string","format":"currency"},"retroactive":{"type":"boolean"},"retroactive_history":{"type":"array","items":{"$ref":"shared_13"},"minItems":1,"maxItems":100},"created_at":{"type":"string","format":"timestamp"},"updated_at":{"type":"string","format":"timestamp"}}},{"type":"null"}]},"retroactive_history":{"type":"array","items":{"$ref":"shared_13"},"minItems":1,"maxItems":100}}},{"type":"object","required":["v","kind","id","revision","record"],"properties":{"v":{"type":"number","const":1},"kind":{"type":"string","const":"deal"},"id":{"type":"string"},"revision":{"type":"integer","minimum":1,"maximum":9007199254740991},"record":{"anyOf":[{"type":"object","required":["name","reward_config","display_content","created_at","updated_at"],"properties":{"name":{"type":"string"},"reward_config":{"anyOf":[{"type":"object","required":["type","percent"],"properties":{"type":{"type":"string","const":"percent"},"percent":{"type":"number","exclusiveMinimum":0,"maximum":100},"max_amount":{"type":"integer","minimum":0}}},{"type":"object","required":["type","amount","currency"],"properties":{"type":{"type":"string","const":"fixed"},"amount":{"type":"integer","minimum":0},"currency":{"type":"string"}}}]},"display_content":{"$ref":"shared_11"},"starts_at":{"type":"string","format":"timestamp"},"ends_at":{"type":"string","format":"timestamp"},"retroactive":{"type":"boolean"},"retroactive_history":{"type":"array","items":{"$ref":"shared_13"},"minItems":1,"maxItems":100},"created_at":{"type":"string","format":"timestamp"},"updated_at":{"type":"string","format":"timestamp"}}},{"type":"null"}]},"retroactive_history":{"type":"array","items":{"$ref":"shared_13"},"minItems":1,"maxItems":100}}}]};
const schema90 = {"type":"object","required":["type"],"properties":{"type":{"type":"string","const":"refund"}}};

function validate162(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.type === undefined) && (missing0 = "type")){
validate162.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
if(data.type !== undefined){
let data0 = data.type;
if(typeof data0 !== "string"){
validate162.errors = [{instancePath:instancePath+"/type",schemaPath:"#/properties/type/type",keyword:"type",params:{type: "string"}}];
return false;
}
if("refund" !== data0){
validate162.errors = [{instancePath:instancePath+"/type",schemaPath:"#/properties/type/const",keyword:"const",params:{allowedValue: "refund"}}];
return false;
}
}
}
}
else {
validate162.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate162.errors = vErrors;
return errors === 0;
}

const schema91 = {"type":"object","required":["type","amount"],"properties":{"type":{"type":"string","const":"fixed-reward"},"amount":{"type":"integer","minimum":0}}};

function validate164(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.type === undefined) && (missing0 = "type")) || ((data.amount === undefined) && (missing0 = "amount"))){
validate164.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
if(data.type !== undefined){
let data0 = data.type;
const _errs1 = errors;
if(typeof data0 !== "string"){
validate164.errors = [{instancePath:instancePath+"/type",schemaPath:"#/properties/type/type",keyword:"type",params:{type: "string"}}];
return false;
}
if("fixed-reward" !== data0){
validate164.errors = [{instancePath:instancePath+"/type",schemaPath:"#/properties/type/const",keyword:"const",params:{allowedValue: "fixed-reward"}}];
return false;
}
var valid0 = _errs1 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.amount !== undefined){
let data1 = data.amount;
const _errs3 = errors;
if(!(((typeof data1 == "number") && (!(data1 % 1) && !isNaN(data1))) && (isFinite(data1)))){
validate164.errors = [{instancePath:instancePath+"/amount",schemaPath:"#/properties/amount/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs3){
if((typeof data1 == "number") && (isFinite(data1))){
if(data1 < 0 || isNaN(data1)){
validate164.errors = [{instancePath:instancePath+"/amount",schemaPath:"#/properties/amount/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}}];
return false;
}
}
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
}
}
}
else {
validate164.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate164.errors = vErrors;
return errors === 0;
}

const schema92 = {"type":"object","required":["title","image","summary","description","terms"],"properties":{"title":{"type":"string"},"image":{"type":"string"},"logo":{"type":"string"},"summary":{"type":"string"},"description":{"type":"string"},"terms":{"type":"string"},"reward":{"$ref":"shared_12"}}};
const schema93 = {"type":"object","required":["formatted"],"properties":{"formatted":{"type":"string"}}};

function validate167(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.formatted === undefined) && (missing0 = "formatted")){
validate167.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
if(data.formatted !== undefined){
if(typeof data.formatted !== "string"){
validate167.errors = [{instancePath:instancePath+"/formatted",schemaPath:"#/properties/formatted/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
}
else {
validate167.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate167.errors = vErrors;
return errors === 0;
}


function validate166(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((((data.title === undefined) && (missing0 = "title")) || ((data.image === undefined) && (missing0 = "image"))) || ((data.summary === undefined) && (missing0 = "summary"))) || ((data.description === undefined) && (missing0 = "description"))) || ((data.terms === undefined) && (missing0 = "terms"))){
validate166.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
if(data.title !== undefined){
const _errs1 = errors;
if(typeof data.title !== "string"){
validate166.errors = [{instancePath:instancePath+"/title",schemaPath:"#/properties/title/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs1 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.image !== undefined){
const _errs3 = errors;
if(typeof data.image !== "string"){
validate166.errors = [{instancePath:instancePath+"/image",schemaPath:"#/properties/image/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.logo !== undefined){
const _errs5 = errors;
if(typeof data.logo !== "string"){
validate166.errors = [{instancePath:instancePath+"/logo",schemaPath:"#/properties/logo/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.summary !== undefined){
const _errs7 = errors;
if(typeof data.summary !== "string"){
validate166.errors = [{instancePath:instancePath+"/summary",schemaPath:"#/properties/summary/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.description !== undefined){
const _errs9 = errors;
if(typeof data.description !== "string"){
validate166.errors = [{instancePath:instancePath+"/description",schemaPath:"#/properties/description/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs9 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.terms !== undefined){
const _errs11 = errors;
if(typeof data.terms !== "string"){
validate166.errors = [{instancePath:instancePath+"/terms",schemaPath:"#/properties/terms/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs11 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.reward !== undefined){
const _errs13 = errors;
if(!(validate167(data.reward, {instancePath:instancePath+"/reward",parentData:data,parentDataProperty:"reward",rootData}))){
vErrors = vErrors === null ? validate167.errors : vErrors.concat(validate167.errors);
errors = vErrors.length;
}
var valid0 = _errs13 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
else {
validate166.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate166.errors = vErrors;
return errors === 0;
}

const schema94 = {"type":"object","required":["since","retroactive"],"properties":{"since":{"type":"string","format":"timestamp"},"retroactive":{"type":"boolean"}}};

function validate170(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.since === undefined) && (missing0 = "since")) || ((data.retroactive === undefined) && (missing0 = "retroactive"))){
validate170.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
if(data.since !== undefined){
let data0 = data.since;
const _errs1 = errors;
if(errors === _errs1){
if(errors === _errs1){
if(typeof data0 === "string"){
if(!(formats2(data0))){
validate170.errors = [{instancePath:instancePath+"/since",schemaPath:"#/properties/since/format",keyword:"format",params:{format: "timestamp"}}];
return false;
}
}
else {
validate170.errors = [{instancePath:instancePath+"/since",schemaPath:"#/properties/since/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs1 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.retroactive !== undefined){
const _errs3 = errors;
if(typeof data.retroactive !== "boolean"){
validate170.errors = [{instancePath:instancePath+"/retroactive",schemaPath:"#/properties/retroactive/type",keyword:"type",params:{type: "boolean"}}];
return false;
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
}
}
}
else {
validate170.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate170.errors = vErrors;
return errors === 0;
}


function validate161(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
const _errs0 = errors;
let valid0 = false;
const _errs1 = errors;
if(errors === _errs1){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((((data.v === undefined) && (missing0 = "v")) || ((data.kind === undefined) && (missing0 = "kind"))) || ((data.id === undefined) && (missing0 = "id"))) || ((data.revision === undefined) && (missing0 = "revision"))) || ((data.record === undefined) && (missing0 = "record"))){
const err0 = {instancePath,schemaPath:"#/anyOf/0/required",keyword:"required",params:{missingProperty: missing0}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
else {
if(data.v !== undefined){
let data0 = data.v;
const _errs3 = errors;
if(!((typeof data0 == "number") && (isFinite(data0)))){
const err1 = {instancePath:instancePath+"/v",schemaPath:"#/anyOf/0/properties/v/type",keyword:"type",params:{type: "number"}};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
if(1 !== data0){
const err2 = {instancePath:instancePath+"/v",schemaPath:"#/anyOf/0/properties/v/const",keyword:"const",params:{allowedValue: 1}};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
var valid1 = _errs3 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.kind !== undefined){
let data1 = data.kind;
const _errs5 = errors;
if(typeof data1 !== "string"){
const err3 = {instancePath:instancePath+"/kind",schemaPath:"#/anyOf/0/properties/kind/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
if("loyalty-program" !== data1){
const err4 = {instancePath:instancePath+"/kind",schemaPath:"#/anyOf/0/properties/kind/const",keyword:"const",params:{allowedValue: "loyalty-program"}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
var valid1 = _errs5 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.id !== undefined){
const _errs7 = errors;
if(typeof data.id !== "string"){
const err5 = {instancePath:instancePath+"/id",schemaPath:"#/anyOf/0/properties/id/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
var valid1 = _errs7 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.revision !== undefined){
let data3 = data.revision;
const _errs9 = errors;
if(!(((typeof data3 == "number") && (!(data3 % 1) && !isNaN(data3))) && (isFinite(data3)))){
const err6 = {instancePath:instancePath+"/revision",schemaPath:"#/anyOf/0/properties/revision/type",keyword:"type",params:{type: "integer"}};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
}
if(errors === _errs9){
if((typeof data3 == "number") && (isFinite(data3))){
if(data3 > 9007199254740991 || isNaN(data3)){
const err7 = {instancePath:instancePath+"/revision",schemaPath:"#/anyOf/0/properties/revision/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991}};
if(vErrors === null){
vErrors = [err7];
}
else {
vErrors.push(err7);
}
errors++;
}
else {
if(data3 < 1 || isNaN(data3)){
const err8 = {instancePath:instancePath+"/revision",schemaPath:"#/anyOf/0/properties/revision/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1}};
if(vErrors === null){
vErrors = [err8];
}
else {
vErrors.push(err8);
}
errors++;
}
}
}
}
var valid1 = _errs9 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.record !== undefined){
let data4 = data.record;
const _errs11 = errors;
const _errs12 = errors;
let valid2 = false;
const _errs13 = errors;
if(errors === _errs13){
if(data4 && typeof data4 == "object" && !Array.isArray(data4)){
let missing1;
if(((((((data4.name === undefined) && (missing1 = "name")) || ((data4.qualifying_threshold === undefined) && (missing1 = "qualifying_threshold"))) || ((data4.reward_config === undefined) && (missing1 = "reward_config"))) || ((data4.display_content === undefined) && (missing1 = "display_content"))) || ((data4.created_at === undefined) && (missing1 = "created_at"))) || ((data4.updated_at === undefined) && (missing1 = "updated_at"))){
const err9 = {instancePath:instancePath+"/record",schemaPath:"#/anyOf/0/properties/record/anyOf/0/required",keyword:"required",params:{missingProperty: missing1}};
if(vErrors === null){
vErrors = [err9];
}
else {
vErrors.push(err9);
}
errors++;
}
else {
if(data4.name !== undefined){
const _errs15 = errors;
if(typeof data4.name !== "string"){
const err10 = {instancePath:instancePath+"/record/name",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/name/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err10];
}
else {
vErrors.push(err10);
}
errors++;
}
var valid3 = _errs15 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data4.qualifying_threshold !== undefined){
let data6 = data4.qualifying_threshold;
const _errs17 = errors;
if(!(((typeof data6 == "number") && (!(data6 % 1) && !isNaN(data6))) && (isFinite(data6)))){
const err11 = {instancePath:instancePath+"/record/qualifying_threshold",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/qualifying_threshold/type",keyword:"type",params:{type: "integer"}};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
if(errors === _errs17){
if((typeof data6 == "number") && (isFinite(data6))){
if(data6 > 1000000 || isNaN(data6)){
const err12 = {instancePath:instancePath+"/record/qualifying_threshold",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/qualifying_threshold/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1000000}};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
else {
if(data6 < 1 || isNaN(data6)){
const err13 = {instancePath:instancePath+"/record/qualifying_threshold",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/qualifying_threshold/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1}};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
}
}
}
var valid3 = _errs17 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data4.reward_config !== undefined){
let data7 = data4.reward_config;
const _errs19 = errors;
const _errs20 = errors;
let valid4 = false;
const _errs21 = errors;
if(!(validate162(data7, {instancePath:instancePath+"/record/reward_config",parentData:data4,parentDataProperty:"reward_config",rootData}))){
vErrors = vErrors === null ? validate162.errors : vErrors.concat(validate162.errors);
errors = vErrors.length;
}
var _valid2 = _errs21 === errors;
valid4 = valid4 || _valid2;
if(!valid4){
const _errs22 = errors;
if(!(validate164(data7, {instancePath:instancePath+"/record/reward_config",parentData:data4,parentDataProperty:"reward_config",rootData}))){
vErrors = vErrors === null ? validate164.errors : vErrors.concat(validate164.errors);
errors = vErrors.length;
}
var _valid2 = _errs22 === errors;
valid4 = valid4 || _valid2;
}
if(!valid4){
const err14 = {instancePath:instancePath+"/record/reward_config",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/reward_config/anyOf",keyword:"anyOf",params:{}};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
else {
errors = _errs20;
if(vErrors !== null){
if(_errs20){
vErrors.length = _errs20;
}
else {
vErrors = null;
}
}
}
var valid3 = _errs19 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data4.display_content !== undefined){
const _errs23 = errors;
if(!(validate166(data4.display_content, {instancePath:instancePath+"/record/display_content",parentData:data4,parentDataProperty:"display_content",rootData}))){
vErrors = vErrors === null ? validate166.errors : vErrors.concat(validate166.errors);
errors = vErrors.length;
}
var valid3 = _errs23 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data4.currency !== undefined){
let data9 = data4.currency;
const _errs24 = errors;
if(errors === _errs24){
if(errors === _errs24){
if(typeof data9 === "string"){
if(!(formats118(data9))){
const err15 = {instancePath:instancePath+"/record/currency",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/currency/format",keyword:"format",params:{format: "currency"}};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
}
else {
const err16 = {instancePath:instancePath+"/record/currency",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/currency/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err16];
}
else {
vErrors.push(err16);
}
errors++;
}
}
}
var valid3 = _errs24 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data4.retroactive !== undefined){
const _errs26 = errors;
if(typeof data4.retroactive !== "boolean"){
const err17 = {instancePath:instancePath+"/record/retroactive",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/retroactive/type",keyword:"type",params:{type: "boolean"}};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
}
var valid3 = _errs26 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data4.retroactive_history !== undefined){
let data11 = data4.retroactive_history;
const _errs28 = errors;
if(errors === _errs28){
if(Array.isArray(data11)){
if(data11.length > 100){
const err18 = {instancePath:instancePath+"/record/retroactive_history",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/retroactive_history/maxItems",keyword:"maxItems",params:{limit: 100}};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
else {
if(data11.length < 1){
const err19 = {instancePath:instancePath+"/record/retroactive_history",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/retroactive_history/minItems",keyword:"minItems",params:{limit: 1}};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
else {
var valid5 = true;
const len0 = data11.length;
for(let i0=0; i0<len0; i0++){
const _errs30 = errors;
if(!(validate170(data11[i0], {instancePath:instancePath+"/record/retroactive_history/" + i0,parentData:data11,parentDataProperty:i0,rootData}))){
vErrors = vErrors === null ? validate170.errors : vErrors.concat(validate170.errors);
errors = vErrors.length;
}
var valid5 = _errs30 === errors;
if(!valid5){
break;
}
}
}
}
}
else {
const err20 = {instancePath:instancePath+"/record/retroactive_history",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/retroactive_history/type",keyword:"type",params:{type: "array"}};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
}
var valid3 = _errs28 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data4.created_at !== undefined){
let data13 = data4.created_at;
const _errs31 = errors;
if(errors === _errs31){
if(errors === _errs31){
if(typeof data13 === "string"){
if(!(formats2(data13))){
const err21 = {instancePath:instancePath+"/record/created_at",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/created_at/format",keyword:"format",params:{format: "timestamp"}};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
}
else {
const err22 = {instancePath:instancePath+"/record/created_at",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/created_at/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err22];
}
else {
vErrors.push(err22);
}
errors++;
}
}
}
var valid3 = _errs31 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data4.updated_at !== undefined){
let data14 = data4.updated_at;
const _errs33 = errors;
if(errors === _errs33){
if(errors === _errs33){
if(typeof data14 === "string"){
if(!(formats2(data14))){
const err23 = {instancePath:instancePath+"/record/updated_at",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/updated_at/format",keyword:"format",params:{format: "timestamp"}};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
}
}
else {
const err24 = {instancePath:instancePath+"/record/updated_at",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/updated_at/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err24];
}
else {
vErrors.push(err24);
}
errors++;
}
}
}
var valid3 = _errs33 === errors;
}
else {
var valid3 = true;
}
}
}
}
}
}
}
}
}
}
}
else {
const err25 = {instancePath:instancePath+"/record",schemaPath:"#/anyOf/0/properties/record/anyOf/0/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err25];
}
else {
vErrors.push(err25);
}
errors++;
}
}
var _valid1 = _errs13 === errors;
valid2 = valid2 || _valid1;
if(!valid2){
const _errs35 = errors;
if(data4 !== null){
const err26 = {instancePath:instancePath+"/record",schemaPath:"#/anyOf/0/properties/record/anyOf/1/type",keyword:"type",params:{type: "null"}};
if(vErrors === null){
vErrors = [err26];
}
else {
vErrors.push(err26);
}
errors++;
}
var _valid1 = _errs35 === errors;
valid2 = valid2 || _valid1;
}
if(!valid2){
const err27 = {instancePath:instancePath+"/record",schemaPath:"#/anyOf/0/properties/record/anyOf",keyword:"anyOf",params:{}};
if(vErrors === null){
vErrors = [err27];
}
else {
vErrors.push(err27);
}
errors++;
}
else {
errors = _errs12;
if(vErrors !== null){
if(_errs12){
vErrors.length = _errs12;
}
else {
vErrors = null;
}
}
}
var valid1 = _errs11 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.retroactive_history !== undefined){
let data15 = data.retroactive_history;
const _errs37 = errors;
if(errors === _errs37){
if(Array.isArray(data15)){
if(data15.length > 100){
const err28 = {instancePath:instancePath+"/retroactive_history",schemaPath:"#/anyOf/0/properties/retroactive_history/maxItems",keyword:"maxItems",params:{limit: 100}};
if(vErrors === null){
vErrors = [err28];
}
else {
vErrors.push(err28);
}
errors++;
}
else {
if(data15.length < 1){
const err29 = {instancePath:instancePath+"/retroactive_history",schemaPath:"#/anyOf/0/properties/retroactive_history/minItems",keyword:"minItems",params:{limit: 1}};
if(vErrors === null){
vErrors = [err29];
}
else {
vErrors.push(err29);
}
errors++;
}
else {
var valid6 = true;
const len1 = data15.length;
for(let i1=0; i1<len1; i1++){
const _errs39 = errors;
if(!(validate170(data15[i1], {instancePath:instancePath+"/retroactive_history/" + i1,parentData:data15,parentDataProperty:i1,rootData}))){
vErrors = vErrors === null ? validate170.errors : vErrors.concat(validate170.errors);
errors = vErrors.length;
}
var valid6 = _errs39 === errors;
if(!valid6){
break;
}
}
}
}
}
else {
const err30 = {instancePath:instancePath+"/retroactive_history",schemaPath:"#/anyOf/0/properties/retroactive_history/type",keyword:"type",params:{type: "array"}};
if(vErrors === null){
vErrors = [err30];
}
else {
vErrors.push(err30);
}
errors++;
}
}
var valid1 = _errs37 === errors;
}
else {
var valid1 = true;
}
}
}
}
}
}
}
}
else {
const err31 = {instancePath,schemaPath:"#/anyOf/0/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err31];
}
else {
vErrors.push(err31);
}
errors++;
}
}
var _valid0 = _errs1 === errors;
valid0 = valid0 || _valid0;
if(!valid0){
const _errs40 = errors;
if(errors === _errs40){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing2;
if((((((data.v === undefined) && (missing2 = "v")) || ((data.kind === undefined) && (missing2 = "kind"))) || ((data.id === undefined) && (missing2 = "id"))) || ((data.revision === undefined) && (missing2 = "revision"))) || ((data.record === undefined) && (missing2 = "record"))){
const err32 = {instancePath,schemaPath:"#/anyOf/1/required",keyword:"required",params:{missingProperty: missing2}};
if(vErrors === null){
vErrors = [err32];
}
else {
vErrors.push(err32);
}
errors++;
}
else {
if(data.v !== undefined){
let data17 = data.v;
const _errs42 = errors;
if(!((typeof data17 == "number") && (isFinite(data17)))){
const err33 = {instancePath:instancePath+"/v",schemaPath:"#/anyOf/1/properties/v/type",keyword:"type",params:{type: "number"}};
if(vErrors === null){
vErrors = [err33];
}
else {
vErrors.push(err33);
}
errors++;
}
if(1 !== data17){
const err34 = {instancePath:instancePath+"/v",schemaPath:"#/anyOf/1/properties/v/const",keyword:"const",params:{allowedValue: 1}};
if(vErrors === null){
vErrors = [err34];
}
else {
vErrors.push(err34);
}
errors++;
}
var valid7 = _errs42 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.kind !== undefined){
let data18 = data.kind;
const _errs44 = errors;
if(typeof data18 !== "string"){
const err35 = {instancePath:instancePath+"/kind",schemaPath:"#/anyOf/1/properties/kind/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err35];
}
else {
vErrors.push(err35);
}
errors++;
}
if("deal" !== data18){
const err36 = {instancePath:instancePath+"/kind",schemaPath:"#/anyOf/1/properties/kind/const",keyword:"const",params:{allowedValue: "deal"}};
if(vErrors === null){
vErrors = [err36];
}
else {
vErrors.push(err36);
}
errors++;
}
var valid7 = _errs44 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.id !== undefined){
const _errs46 = errors;
if(typeof data.id !== "string"){
const err37 = {instancePath:instancePath+"/id",schemaPath:"#/anyOf/1/properties/id/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err37];
}
else {
vErrors.push(err37);
}
errors++;
}
var valid7 = _errs46 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.revision !== undefined){
let data20 = data.revision;
const _errs48 = errors;
if(!(((typeof data20 == "number") && (!(data20 % 1) && !isNaN(data20))) && (isFinite(data20)))){
const err38 = {instancePath:instancePath+"/revision",schemaPath:"#/anyOf/1/properties/revision/type",keyword:"type",params:{type: "integer"}};
if(vErrors === null){
vErrors = [err38];
}
else {
vErrors.push(err38);
}
errors++;
}
if(errors === _errs48){
if((typeof data20 == "number") && (isFinite(data20))){
if(data20 > 9007199254740991 || isNaN(data20)){
const err39 = {instancePath:instancePath+"/revision",schemaPath:"#/anyOf/1/properties/revision/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991}};
if(vErrors === null){
vErrors = [err39];
}
else {
vErrors.push(err39);
}
errors++;
}
else {
if(data20 < 1 || isNaN(data20)){
const err40 = {instancePath:instancePath+"/revision",schemaPath:"#/anyOf/1/properties/revision/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1}};
if(vErrors === null){
vErrors = [err40];
}
else {
vErrors.push(err40);
}
errors++;
}
}
}
}
var valid7 = _errs48 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.record !== undefined){
let data21 = data.record;
const _errs50 = errors;
const _errs51 = errors;
let valid8 = false;
const _errs52 = errors;
if(errors === _errs52){
if(data21 && typeof data21 == "object" && !Array.isArray(data21)){
let missing3;
if((((((data21.name === undefined) && (missing3 = "name")) || ((data21.reward_config === undefined) && (missing3 = "reward_config"))) || ((data21.display_content === undefined) && (missing3 = "display_content"))) || ((data21.created_at === undefined) && (missing3 = "created_at"))) || ((data21.updated_at === undefined) && (missing3 = "updated_at"))){
const err41 = {instancePath:instancePath+"/record",schemaPath:"#/anyOf/1/properties/record/anyOf/0/required",keyword:"required",params:{missingProperty: missing3}};
if(vErrors === null){
vErrors = [err41];
}
else {
vErrors.push(err41);
}
errors++;
}
else {
if(data21.name !== undefined){
const _errs54 = errors;
if(typeof data21.name !== "string"){
const err42 = {instancePath:instancePath+"/record/name",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/name/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err42];
}
else {
vErrors.push(err42);
}
errors++;
}
var valid9 = _errs54 === errors;
}
else {
var valid9 = true;
}
if(valid9){
if(data21.reward_config !== undefined){
let data23 = data21.reward_config;
const _errs56 = errors;
const _errs57 = errors;
let valid10 = false;
const _errs58 = errors;
if(errors === _errs58){
if(data23 && typeof data23 == "object" && !Array.isArray(data23)){
let missing4;
if(((data23.type === undefined) && (missing4 = "type")) || ((data23.percent === undefined) && (missing4 = "percent"))){
const err43 = {instancePath:instancePath+"/record/reward_config",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/reward_config/anyOf/0/required",keyword:"required",params:{missingProperty: missing4}};
if(vErrors === null){
vErrors = [err43];
}
else {
vErrors.push(err43);
}
errors++;
}
else {
if(data23.type !== undefined){
let data24 = data23.type;
const _errs60 = errors;
if(typeof data24 !== "string"){
const err44 = {instancePath:instancePath+"/record/reward_config/type",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/reward_config/anyOf/0/properties/type/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err44];
}
else {
vErrors.push(err44);
}
errors++;
}
if("percent" !== data24){
const err45 = {instancePath:instancePath+"/record/reward_config/type",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/reward_config/anyOf/0/properties/type/const",keyword:"const",params:{allowedValue: "percent"}};
if(vErrors === null){
vErrors = [err45];
}
else {
vErrors.push(err45);
}
errors++;
}
var valid11 = _errs60 === errors;
}
else {
var valid11 = true;
}
if(valid11){
if(data23.percent !== undefined){
let data25 = data23.percent;
const _errs62 = errors;
if(errors === _errs62){
if((typeof data25 == "number") && (isFinite(data25))){
if(data25 > 100 || isNaN(data25)){
const err46 = {instancePath:instancePath+"/record/reward_config/percent",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/reward_config/anyOf/0/properties/percent/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100}};
if(vErrors === null){
vErrors = [err46];
}
else {
vErrors.push(err46);
}
errors++;
}
else {
if(data25 <= 0 || isNaN(data25)){
const err47 = {instancePath:instancePath+"/record/reward_config/percent",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/reward_config/anyOf/0/properties/percent/exclusiveMinimum",keyword:"exclusiveMinimum",params:{comparison: ">", limit: 0}};
if(vErrors === null){
vErrors = [err47];
}
else {
vErrors.push(err47);
}
errors++;
}
}
}
else {
const err48 = {instancePath:instancePath+"/record/reward_config/percent",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/reward_config/anyOf/0/properties/percent/type",keyword:"type",params:{type: "number"}};
if(vErrors === null){
vErrors = [err48];
}
else {
vErrors.push(err48);
}
errors++;
}
}
var valid11 = _errs62 === errors;
}
else {
var valid11 = true;
}
if(valid11){
if(data23.max_amount !== undefined){
let data26 = data23.max_amount;
const _errs64 = errors;
if(!(((typeof data26 == "number") && (!(data26 % 1) && !isNaN(data26))) && (isFinite(data26)))){
const err49 = {instancePath:instancePath+"/record/reward_config/max_amount",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/reward_config/anyOf/0/properties/max_amount/type",keyword:"type",params:{type: "integer"}};
if(vErrors === null){
vErrors = [err49];
}
else {
vErrors.push(err49);
}
errors++;
}
if(errors === _errs64){
if((typeof data26 == "number") && (isFinite(data26))){
if(data26 < 0 || isNaN(data26)){
const err50 = {instancePath:instancePath+"/record/reward_config/max_amount",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/reward_config/anyOf/0/properties/max_amount/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}};
if(vErrors === null){
vErrors = [err50];
}
else {
vErrors.push(err50);
}
errors++;
}
}
}
var valid11 = _errs64 === errors;
}
else {
var valid11 = true;
}
}
}
}
}
else {
const err51 = {instancePath:instancePath+"/record/reward_config",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/reward_config/anyOf/0/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err51];
}
else {
vErrors.push(err51);
}
errors++;
}
}
var _valid4 = _errs58 === errors;
valid10 = valid10 || _valid4;
if(!valid10){
const _errs66 = errors;
if(errors === _errs66){
if(data23 && typeof data23 == "object" && !Array.isArray(data23)){
let missing5;
if((((data23.type === undefined) && (missing5 = "type")) || ((data23.amount === undefined) && (missing5 = "amount"))) || ((data23.currency === undefined) && (missing5 = "currency"))){
const err52 = {instancePath:instancePath+"/record/reward_config",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/reward_config/anyOf/1/required",keyword:"required",params:{missingProperty: missing5}};
if(vErrors === null){
vErrors = [err52];
}
else {
vErrors.push(err52);
}
errors++;
}
else {
if(data23.type !== undefined){
let data27 = data23.type;
const _errs68 = errors;
if(typeof data27 !== "string"){
const err53 = {instancePath:instancePath+"/record/reward_config/type",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/reward_config/anyOf/1/properties/type/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err53];
}
else {
vErrors.push(err53);
}
errors++;
}
if("fixed" !== data27){
const err54 = {instancePath:instancePath+"/record/reward_config/type",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/reward_config/anyOf/1/properties/type/const",keyword:"const",params:{allowedValue: "fixed"}};
if(vErrors === null){
vErrors = [err54];
}
else {
vErrors.push(err54);
}
errors++;
}
var valid12 = _errs68 === errors;
}
else {
var valid12 = true;
}
if(valid12){
if(data23.amount !== undefined){
let data28 = data23.amount;
const _errs70 = errors;
if(!(((typeof data28 == "number") && (!(data28 % 1) && !isNaN(data28))) && (isFinite(data28)))){
const err55 = {instancePath:instancePath+"/record/reward_config/amount",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/reward_config/anyOf/1/properties/amount/type",keyword:"type",params:{type: "integer"}};
if(vErrors === null){
vErrors = [err55];
}
else {
vErrors.push(err55);
}
errors++;
}
if(errors === _errs70){
if((typeof data28 == "number") && (isFinite(data28))){
if(data28 < 0 || isNaN(data28)){
const err56 = {instancePath:instancePath+"/record/reward_config/amount",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/reward_config/anyOf/1/properties/amount/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}};
if(vErrors === null){
vErrors = [err56];
}
else {
vErrors.push(err56);
}
errors++;
}
}
}
var valid12 = _errs70 === errors;
}
else {
var valid12 = true;
}
if(valid12){
if(data23.currency !== undefined){
const _errs72 = errors;
if(typeof data23.currency !== "string"){
const err57 = {instancePath:instancePath+"/record/reward_config/currency",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/reward_config/anyOf/1/properties/currency/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err57];
}
else {
vErrors.push(err57);
}
errors++;
}
var valid12 = _errs72 === errors;
}
else {
var valid12 = true;
}
}
}
}
}
else {
const err58 = {instancePath:instancePath+"/record/reward_config",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/reward_config/anyOf/1/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err58];
}
else {
vErrors.push(err58);
}
errors++;
}
}
var _valid4 = _errs66 === errors;
valid10 = valid10 || _valid4;
}
if(!valid10){
const err59 = {instancePath:instancePath+"/record/reward_config",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/reward_config/anyOf",keyword:"anyOf",params:{}};
if(vErrors === null){
vErrors = [err59];
}
else {
vErrors.push(err59);
}
errors++;
}
else {
errors = _errs57;
if(vErrors !== null){
if(_errs57){
vErrors.length = _errs57;
}
else {
vErrors = null;
}
}
}
var valid9 = _errs56 === errors;
}
else {
var valid9 = true;
}
if(valid9){
if(data21.display_content !== undefined){
const _errs74 = errors;
if(!(validate166(data21.display_content, {instancePath:instancePath+"/record/display_content",parentData:data21,parentDataProperty:"display_content",rootData}))){
vErrors = vErrors === null ? validate166.errors : vErrors.concat(validate166.errors);
errors = vErrors.length;
}
var valid9 = _errs74 === errors;
}
else {
var valid9 = true;
}
if(valid9){
if(data21.starts_at !== undefined){
let data31 = data21.starts_at;
const _errs75 = errors;
if(errors === _errs75){
if(errors === _errs75){
if(typeof data31 === "string"){
if(!(formats2(data31))){
const err60 = {instancePath:instancePath+"/record/starts_at",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/starts_at/format",keyword:"format",params:{format: "timestamp"}};
if(vErrors === null){
vErrors = [err60];
}
else {
vErrors.push(err60);
}
errors++;
}
}
else {
const err61 = {instancePath:instancePath+"/record/starts_at",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/starts_at/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err61];
}
else {
vErrors.push(err61);
}
errors++;
}
}
}
var valid9 = _errs75 === errors;
}
else {
var valid9 = true;
}
if(valid9){
if(data21.ends_at !== undefined){
let data32 = data21.ends_at;
const _errs77 = errors;
if(errors === _errs77){
if(errors === _errs77){
if(typeof data32 === "string"){
if(!(formats2(data32))){
const err62 = {instancePath:instancePath+"/record/ends_at",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/ends_at/format",keyword:"format",params:{format: "timestamp"}};
if(vErrors === null){
vErrors = [err62];
}
else {
vErrors.push(err62);
}
errors++;
}
}
else {
const err63 = {instancePath:instancePath+"/record/ends_at",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/ends_at/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err63];
}
else {
vErrors.push(err63);
}
errors++;
}
}
}
var valid9 = _errs77 === errors;
}
else {
var valid9 = true;
}
if(valid9){
if(data21.retroactive !== undefined){
const _errs79 = errors;
if(typeof data21.retroactive !== "boolean"){
const err64 = {instancePath:instancePath+"/record/retroactive",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/retroactive/type",keyword:"type",params:{type: "boolean"}};
if(vErrors === null){
vErrors = [err64];
}
else {
vErrors.push(err64);
}
errors++;
}
var valid9 = _errs79 === errors;
}
else {
var valid9 = true;
}
if(valid9){
if(data21.retroactive_history !== undefined){
let data34 = data21.retroactive_history;
const _errs81 = errors;
if(errors === _errs81){
if(Array.isArray(data34)){
if(data34.length > 100){
const err65 = {instancePath:instancePath+"/record/retroactive_history",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/retroactive_history/maxItems",keyword:"maxItems",params:{limit: 100}};
if(vErrors === null){
vErrors = [err65];
}
else {
vErrors.push(err65);
}
errors++;
}
else {
if(data34.length < 1){
const err66 = {instancePath:instancePath+"/record/retroactive_history",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/retroactive_history/minItems",keyword:"minItems",params:{limit: 1}};
if(vErrors === null){
vErrors = [err66];
}
else {
vErrors.push(err66);
}
errors++;
}
else {
var valid13 = true;
const len2 = data34.length;
for(let i2=0; i2<len2; i2++){
const _errs83 = errors;
if(!(validate170(data34[i2], {instancePath:instancePath+"/record/retroactive_history/" + i2,parentData:data34,parentDataProperty:i2,rootData}))){
vErrors = vErrors === null ? validate170.errors : vErrors.concat(validate170.errors);
errors = vErrors.length;
}
var valid13 = _errs83 === errors;
if(!valid13){
break;
}
}
}
}
}
else {
const err67 = {instancePath:instancePath+"/record/retroactive_history",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/retroactive_history/type",keyword:"type",params:{type: "array"}};
if(vErrors === null){
vErrors = [err67];
}
else {
vErrors.push(err67);
}
errors++;
}
}
var valid9 = _errs81 === errors;
}
else {
var valid9 = true;
}
if(valid9){
if(data21.created_at !== undefined){
let data36 = data21.created_at;
const _errs84 = errors;
if(errors === _errs84){
if(errors === _errs84){
if(typeof data36 === "string"){
if(!(formats2(data36))){
const err68 = {instancePath:instancePath+"/record/created_at",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/created_at/format",keyword:"format",params:{format: "timestamp"}};
if(vErrors === null){
vErrors = [err68];
}
else {
vErrors.push(err68);
}
errors++;
}
}
else {
const err69 = {instancePath:instancePath+"/record/created_at",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/created_at/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err69];
}
else {
vErrors.push(err69);
}
errors++;
}
}
}
var valid9 = _errs84 === errors;
}
else {
var valid9 = true;
}
if(valid9){
if(data21.updated_at !== undefined){
let data37 = data21.updated_at;
const _errs86 = errors;
if(errors === _errs86){
if(errors === _errs86){
if(typeof data37 === "string"){
if(!(formats2(data37))){
const err70 = {instancePath:instancePath+"/record/updated_at",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/updated_at/format",keyword:"format",params:{format: "timestamp"}};
if(vErrors === null){
vErrors = [err70];
}
else {
vErrors.push(err70);
}
errors++;
}
}
else {
const err71 = {instancePath:instancePath+"/record/updated_at",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/updated_at/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err71];
}
else {
vErrors.push(err71);
}
errors++;
}
}
}
var valid9 = _errs86 === errors;
}
else {
var valid9 = true;
}
}
}
}
}
}
}
}
}
}
}
else {
const err72 = {instancePath:instancePath+"/record",schemaPath:"#/anyOf/1/properties/record/anyOf/0/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err72];
}
else {
vErrors.push(err72);
}
errors++;
}
}
var _valid3 = _errs52 === errors;
valid8 = valid8 || _valid3;
if(!valid8){
const _errs88 = errors;
if(data21 !== null){
const err73 = {instancePath:instancePath+"/record",schemaPath:"#/anyOf/1/properties/record/anyOf/1/type",keyword:"type",params:{type: "null"}};
if(vErrors === null){
vErrors = [err73];
}
else {
vErrors.push(err73);
}
errors++;
}
var _valid3 = _errs88 === errors;
valid8 = valid8 || _valid3;
}
if(!valid8){
const err74 = {instancePath:instancePath+"/record",schemaPath:"#/anyOf/1/properties/record/anyOf",keyword:"anyOf",params:{}};
if(vErrors === null){
vErrors = [err74];
}
else {
vErrors.push(err74);
}
errors++;
}
else {
errors = _errs51;
if(vErrors !== null){
if(_errs51){
vErrors.length = _errs51;
}
else {
vErrors = null;
}
}
}
var valid7 = _errs50 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.retroactive_history !== undefined){
let data38 = data.retroactive_history;
const _errs90 = errors;
if(errors === _errs90){
if(Array.isArray(data38)){
if(data38.length > 100){
const err75 = {instancePath:instancePath+"/retroactive_history",schemaPath:"#/anyOf/1/properties/retroactive_history/maxItems",keyword:"maxItems",params:{limit: 100}};
if(vErrors === null){
vErrors = [err75];
}
else {
vErrors.push(err75);
}
errors++;
}
else {
if(data38.length < 1){
const err76 = {instancePath:instancePath+"/retroactive_history",schemaPath:"#/anyOf/1/properties/retroactive_history/minItems",keyword:"minItems",params:{limit: 1}};
if(vErrors === null){
vErrors = [err76];
}
else {
vErrors.push(err76);
}
errors++;
}
else {
var valid14 = true;
const len3 = data38.length;
for(let i3=0; i3<len3; i3++){
const _errs92 = errors;
if(!(validate170(data38[i3], {instancePath:instancePath+"/retroactive_history/" + i3,parentData:data38,parentDataProperty:i3,rootData}))){
vErrors = vErrors === null ? validate170.errors : vErrors.concat(validate170.errors);
errors = vErrors.length;
}
var valid14 = _errs92 === errors;
if(!valid14){
break;
}
}
}
}
}
else {
const err77 = {instancePath:instancePath+"/retroactive_history",schemaPath:"#/anyOf/1/properties/retroactive_history/type",keyword:"type",params:{type: "array"}};
if(vErrors === null){
vErrors = [err77];
}
else {
vErrors.push(err77);
}
errors++;
}
}
var valid7 = _errs90 === errors;
}
else {
var valid7 = true;
}
}
}
}
}
}
}
}
else {
const err78 = {instancePath,schemaPath:"#/anyOf/1/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err78];
}
else {
vErrors.push(err78);
}
errors++;
}
}
var _valid0 = _errs40 === errors;
valid0 = valid0 || _valid0;
}
if(!valid0){
const err79 = {instancePath,schemaPath:"#/anyOf",keyword:"anyOf",params:{}};
if(vErrors === null){
vErrors = [err79];
}
else {
vErrors.push(err79);
}
errors++;
validate161.errors = vErrors;
return false;
}
else {
errors = _errs0;
if(vErrors !== null){
if(_errs0){
vErrors.length = _errs0;
}
else {
vErrors = null;
}
}
}
validate161.errors = vErrors;
return errors === 0;
}

export const validate_message_outcome = validate176;
const schema95 = {"type":"object","required":["type"],"discriminator":{"propertyName":"type"},"oneOf":[{"type":"object","required":["outcome_id","transaction_id","type","stamp_collection_id"],"properties":{"outcome_id":{"type":"string"},"transaction_id":{"type":"string"},"retroactive":{"type":"boolean"},"type":{"type":"string","const":"qualifying_purchase"},"stamp_collection_id":{"type":"string"},"purchase_amount":{"type":"integer","minimum":0,"maximum":9007199254740991},"currency":{"type":"string","format":"currency"},"revision":{"type":"integer","minimum":1,"maximum":9007199254740991},"qualifying_threshold":{"type":"integer","minimum":1,"maximum":1000000},"reward_config":{"anyOf":[{"$ref":"shared_9"},{"$ref":"shared_10"}]}},"additionalProperties":false},{"type":"object","required":["outcome_id","transaction_id","type","clip_id","amount","currency"],"properties":{"outcome_id":{"type":"string"},"transaction_id":{"type":"string"},"retroactive":{"type":"boolean"},"type":{"type":"string","const":"deal"},"clip_id":{"type":"string"},"amount":{"type":"integer","minimum":0,"maximum":9007199254740991},"currency":{"type":"string","format":"currency"}},"additionalProperties":false}]};

function validate176(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.type === undefined) && (missing0 = "type")){
validate176.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const tag0 = data.type;
if(typeof tag0 == "string"){
if(tag0 === "qualifying_purchase"){
const _errs2 = errors;
if(errors === _errs2){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing1;
if(((((data.outcome_id === undefined) && (missing1 = "outcome_id")) || ((data.transaction_id === undefined) && (missing1 = "transaction_id"))) || ((data.type === undefined) && (missing1 = "type"))) || ((data.stamp_collection_id === undefined) && (missing1 = "stamp_collection_id"))){
validate176.errors = [{instancePath,schemaPath:"#/oneOf/0/required",keyword:"required",params:{missingProperty: missing1}}];
return false;
}
else {
const _errs4 = errors;
for(const key0 in data){
if(!(func22.call(schema95.oneOf[0].properties, key0))){
validate176.errors = [{instancePath,schemaPath:"#/oneOf/0/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs4 === errors){
if(data.outcome_id !== undefined){
const _errs5 = errors;
if(typeof data.outcome_id !== "string"){
validate176.errors = [{instancePath:instancePath+"/outcome_id",schemaPath:"#/oneOf/0/properties/outcome_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid2 = _errs5 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data.transaction_id !== undefined){
const _errs7 = errors;
if(typeof data.transaction_id !== "string"){
validate176.errors = [{instancePath:instancePath+"/transaction_id",schemaPath:"#/oneOf/0/properties/transaction_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid2 = _errs7 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data.retroactive !== undefined){
const _errs9 = errors;
if(typeof data.retroactive !== "boolean"){
validate176.errors = [{instancePath:instancePath+"/retroactive",schemaPath:"#/oneOf/0/properties/retroactive/type",keyword:"type",params:{type: "boolean"}}];
return false;
}
var valid2 = _errs9 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data.type !== undefined){
let data3 = data.type;
const _errs11 = errors;
if(typeof data3 !== "string"){
validate176.errors = [{instancePath:instancePath+"/type",schemaPath:"#/oneOf/0/properties/type/type",keyword:"type",params:{type: "string"}}];
return false;
}
if("qualifying_purchase" !== data3){
validate176.errors = [{instancePath:instancePath+"/type",schemaPath:"#/oneOf/0/properties/type/const",keyword:"const",params:{allowedValue: "qualifying_purchase"}}];
return false;
}
var valid2 = _errs11 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data.stamp_collection_id !== undefined){
const _errs13 = errors;
if(typeof data.stamp_collection_id !== "string"){
validate176.errors = [{instancePath:instancePath+"/stamp_collection_id",schemaPath:"#/oneOf/0/properties/stamp_collection_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid2 = _errs13 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data.purchase_amount !== undefined){
let data5 = data.purchase_amount;
const _errs15 = errors;
if(!(((typeof data5 == "number") && (!(data5 % 1) && !isNaN(data5))) && (isFinite(data5)))){
validate176.errors = [{instancePath:instancePath+"/purchase_amount",schemaPath:"#/oneOf/0/properties/purchase_amount/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs15){
if((typeof data5 == "number") && (isFinite(data5))){
if(data5 > 9007199254740991 || isNaN(data5)){
validate176.errors = [{instancePath:instancePath+"/purchase_amount",schemaPath:"#/oneOf/0/properties/purchase_amount/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991}}];
return false;
}
else {
if(data5 < 0 || isNaN(data5)){
validate176.errors = [{instancePath:instancePath+"/purchase_amount",schemaPath:"#/oneOf/0/properties/purchase_amount/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}}];
return false;
}
}
}
}
var valid2 = _errs15 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data.currency !== undefined){
let data6 = data.currency;
const _errs17 = errors;
if(errors === _errs17){
if(errors === _errs17){
if(typeof data6 === "string"){
if(!(formats118(data6))){
validate176.errors = [{instancePath:instancePath+"/currency",schemaPath:"#/oneOf/0/properties/currency/format",keyword:"format",params:{format: "currency"}}];
return false;
}
}
else {
validate176.errors = [{instancePath:instancePath+"/currency",schemaPath:"#/oneOf/0/properties/currency/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid2 = _errs17 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data.revision !== undefined){
let data7 = data.revision;
const _errs19 = errors;
if(!(((typeof data7 == "number") && (!(data7 % 1) && !isNaN(data7))) && (isFinite(data7)))){
validate176.errors = [{instancePath:instancePath+"/revision",schemaPath:"#/oneOf/0/properties/revision/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs19){
if((typeof data7 == "number") && (isFinite(data7))){
if(data7 > 9007199254740991 || isNaN(data7)){
validate176.errors = [{instancePath:instancePath+"/revision",schemaPath:"#/oneOf/0/properties/revision/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991}}];
return false;
}
else {
if(data7 < 1 || isNaN(data7)){
validate176.errors = [{instancePath:instancePath+"/revision",schemaPath:"#/oneOf/0/properties/revision/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1}}];
return false;
}
}
}
}
var valid2 = _errs19 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data.qualifying_threshold !== undefined){
let data8 = data.qualifying_threshold;
const _errs21 = errors;
if(!(((typeof data8 == "number") && (!(data8 % 1) && !isNaN(data8))) && (isFinite(data8)))){
validate176.errors = [{instancePath:instancePath+"/qualifying_threshold",schemaPath:"#/oneOf/0/properties/qualifying_threshold/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs21){
if((typeof data8 == "number") && (isFinite(data8))){
if(data8 > 1000000 || isNaN(data8)){
validate176.errors = [{instancePath:instancePath+"/qualifying_threshold",schemaPath:"#/oneOf/0/properties/qualifying_threshold/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1000000}}];
return false;
}
else {
if(data8 < 1 || isNaN(data8)){
validate176.errors = [{instancePath:instancePath+"/qualifying_threshold",schemaPath:"#/oneOf/0/properties/qualifying_threshold/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1}}];
return false;
}
}
}
}
var valid2 = _errs21 === errors;
}
else {
var valid2 = true;
}
if(valid2){
if(data.reward_config !== undefined){
let data9 = data.reward_config;
const _errs23 = errors;
const _errs24 = errors;
let valid3 = false;
const _errs25 = errors;
if(!(validate162(data9, {instancePath:instancePath+"/reward_config",parentData:data,parentDataProperty:"reward_config",rootData}))){
vErrors = vErrors === null ? validate162.errors : vErrors.concat(validate162.errors);
errors = vErrors.length;
}
var _valid0 = _errs25 === errors;
valid3 = valid3 || _valid0;
if(!valid3){
const _errs26 = errors;
if(!(validate164(data9, {instancePath:instancePath+"/reward_config",parentData:data,parentDataProperty:"reward_config",rootData}))){
vErrors = vErrors === null ? validate164.errors : vErrors.concat(validate164.errors);
errors = vErrors.length;
}
var _valid0 = _errs26 === errors;
valid3 = valid3 || _valid0;
}
if(!valid3){
const err0 = {instancePath:instancePath+"/reward_config",schemaPath:"#/oneOf/0/properties/reward_config/anyOf",keyword:"anyOf",params:{}};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
validate176.errors = vErrors;
return false;
}
else {
errors = _errs24;
if(vErrors !== null){
if(_errs24){
vErrors.length = _errs24;
}
else {
vErrors = null;
}
}
}
var valid2 = _errs23 === errors;
}
else {
var valid2 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate176.errors = [{instancePath,schemaPath:"#/oneOf/0/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
}
else if(tag0 === "deal"){
const _errs27 = errors;
if(errors === _errs27){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing2;
if(((((((data.outcome_id === undefined) && (missing2 = "outcome_id")) || ((data.transaction_id === undefined) && (missing2 = "transaction_id"))) || ((data.type === undefined) && (missing2 = "type"))) || ((data.clip_id === undefined) && (missing2 = "clip_id"))) || ((data.amount === undefined) && (missing2 = "amount"))) || ((data.currency === undefined) && (missing2 = "currency"))){
validate176.errors = [{instancePath,schemaPath:"#/oneOf/1/required",keyword:"required",params:{missingProperty: missing2}}];
return false;
}
else {
const _errs29 = errors;
for(const key1 in data){
if(!(((((((key1 === "outcome_id") || (key1 === "transaction_id")) || (key1 === "retroactive")) || (key1 === "type")) || (key1 === "clip_id")) || (key1 === "amount")) || (key1 === "currency"))){
validate176.errors = [{instancePath,schemaPath:"#/oneOf/1/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
return false;
break;
}
}
if(_errs29 === errors){
if(data.outcome_id !== undefined){
const _errs30 = errors;
if(typeof data.outcome_id !== "string"){
validate176.errors = [{instancePath:instancePath+"/outcome_id",schemaPath:"#/oneOf/1/properties/outcome_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid5 = _errs30 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data.transaction_id !== undefined){
const _errs32 = errors;
if(typeof data.transaction_id !== "string"){
validate176.errors = [{instancePath:instancePath+"/transaction_id",schemaPath:"#/oneOf/1/properties/transaction_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid5 = _errs32 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data.retroactive !== undefined){
const _errs34 = errors;
if(typeof data.retroactive !== "boolean"){
validate176.errors = [{instancePath:instancePath+"/retroactive",schemaPath:"#/oneOf/1/properties/retroactive/type",keyword:"type",params:{type: "boolean"}}];
return false;
}
var valid5 = _errs34 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data.type !== undefined){
let data13 = data.type;
const _errs36 = errors;
if(typeof data13 !== "string"){
validate176.errors = [{instancePath:instancePath+"/type",schemaPath:"#/oneOf/1/properties/type/type",keyword:"type",params:{type: "string"}}];
return false;
}
if("deal" !== data13){
validate176.errors = [{instancePath:instancePath+"/type",schemaPath:"#/oneOf/1/properties/type/const",keyword:"const",params:{allowedValue: "deal"}}];
return false;
}
var valid5 = _errs36 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data.clip_id !== undefined){
const _errs38 = errors;
if(typeof data.clip_id !== "string"){
validate176.errors = [{instancePath:instancePath+"/clip_id",schemaPath:"#/oneOf/1/properties/clip_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid5 = _errs38 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data.amount !== undefined){
let data15 = data.amount;
const _errs40 = errors;
if(!(((typeof data15 == "number") && (!(data15 % 1) && !isNaN(data15))) && (isFinite(data15)))){
validate176.errors = [{instancePath:instancePath+"/amount",schemaPath:"#/oneOf/1/properties/amount/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs40){
if((typeof data15 == "number") && (isFinite(data15))){
if(data15 > 9007199254740991 || isNaN(data15)){
validate176.errors = [{instancePath:instancePath+"/amount",schemaPath:"#/oneOf/1/properties/amount/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991}}];
return false;
}
else {
if(data15 < 0 || isNaN(data15)){
validate176.errors = [{instancePath:instancePath+"/amount",schemaPath:"#/oneOf/1/properties/amount/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}}];
return false;
}
}
}
}
var valid5 = _errs40 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data.currency !== undefined){
let data16 = data.currency;
const _errs42 = errors;
if(errors === _errs42){
if(errors === _errs42){
if(typeof data16 === "string"){
if(!(formats118(data16))){
validate176.errors = [{instancePath:instancePath+"/currency",schemaPath:"#/oneOf/1/properties/currency/format",keyword:"format",params:{format: "currency"}}];
return false;
}
}
else {
validate176.errors = [{instancePath:instancePath+"/currency",schemaPath:"#/oneOf/1/properties/currency/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid5 = _errs42 === errors;
}
else {
var valid5 = true;
}
}
}
}
}
}
}
}
}
}
else {
validate176.errors = [{instancePath,schemaPath:"#/oneOf/1/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
}
else {
validate176.errors = [{instancePath,schemaPath:"#/discriminator",keyword:"discriminator",params:{tag: "type", allowedValues: ["qualifying_purchase","deal"]}}];
return false;
}
}
else {
validate176.errors = [{instancePath,schemaPath:"#/discriminator",keyword:"discriminator",params:{tag: "type", allowedValues: ["qualifying_purchase","deal"]}}];
return false;
}
}
}
else {
validate176.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate176.errors = vErrors;
return errors === 0;
}

export const validate_message_platform_ecord = validate179;
const schema96 = {"type":"object","required":["transaction_id","identifiers","merchant_id","authed_at","clips","enrolments"],"properties":{"transaction_id":{"type":"string"},"identifiers":{"type":"array","items":{"type":"string","pattern":"^[0-9a-f]{64}$"},"minItems":1,"maxItems":2},"merchant_id":{"type":"string","format":"storable"},"statement_descriptor":{"type":"string","format":"storable"},"authed_at":{"type":"string","format":"timestamp"},"cleared_at":{"type":"string","format":"timestamp"},"reverted_at":{"type":"string","format":"timestamp"},"clips":{"type":"array","items":{"$ref":"shared_8"}},"enrolments":{"type":"array","items":{"$ref":"shared_7"}}},"additionalProperties":false};

function validate179(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((((((data.transaction_id === undefined) && (missing0 = "transaction_id")) || ((data.identifiers === undefined) && (missing0 = "identifiers"))) || ((data.merchant_id === undefined) && (missing0 = "merchant_id"))) || ((data.authed_at === undefined) && (missing0 = "authed_at"))) || ((data.clips === undefined) && (missing0 = "clips"))) || ((data.enrolments === undefined) && (missing0 = "enrolments"))){
validate179.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(func22.call(schema96.properties, key0))){
validate179.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.transaction_id !== undefined){
const _errs2 = errors;
if(typeof data.transaction_id !== "string"){
validate179.errors = [{instancePath:instancePath+"/transaction_id",schemaPath:"#/properties/transaction_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.identifiers !== undefined){
let data1 = data.identifiers;
const _errs4 = errors;
if(errors === _errs4){
if(Array.isArray(data1)){
if(data1.length > 2){
validate179.errors = [{instancePath:instancePath+"/identifiers",schemaPath:"#/properties/identifiers/maxItems",keyword:"maxItems",params:{limit: 2}}];
return false;
}
else {
if(data1.length < 1){
validate179.errors = [{instancePath:instancePath+"/identifiers",schemaPath:"#/properties/identifiers/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid1 = true;
const len0 = data1.length;
for(let i0=0; i0<len0; i0++){
let data2 = data1[i0];
const _errs6 = errors;
if(errors === _errs6){
if(typeof data2 === "string"){
if(!pattern1.test(data2)){
validate179.errors = [{instancePath:instancePath+"/identifiers/" + i0,schemaPath:"#/properties/identifiers/items/pattern",keyword:"pattern",params:{pattern: "^[0-9a-f]{64}$"}}];
return false;
}
}
else {
validate179.errors = [{instancePath:instancePath+"/identifiers/" + i0,schemaPath:"#/properties/identifiers/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
var valid1 = _errs6 === errors;
if(!valid1){
break;
}
}
}
}
}
else {
validate179.errors = [{instancePath:instancePath+"/identifiers",schemaPath:"#/properties/identifiers/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.merchant_id !== undefined){
let data3 = data.merchant_id;
const _errs8 = errors;
if(errors === _errs8){
if(errors === _errs8){
if(typeof data3 === "string"){
if(!(formats0(data3))){
validate179.errors = [{instancePath:instancePath+"/merchant_id",schemaPath:"#/properties/merchant_id/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate179.errors = [{instancePath:instancePath+"/merchant_id",schemaPath:"#/properties/merchant_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.statement_descriptor !== undefined){
let data4 = data.statement_descriptor;
const _errs10 = errors;
if(errors === _errs10){
if(errors === _errs10){
if(typeof data4 === "string"){
if(!(formats0(data4))){
validate179.errors = [{instancePath:instancePath+"/statement_descriptor",schemaPath:"#/properties/statement_descriptor/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate179.errors = [{instancePath:instancePath+"/statement_descriptor",schemaPath:"#/properties/statement_descriptor/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.authed_at !== undefined){
let data5 = data.authed_at;
const _errs12 = errors;
if(errors === _errs12){
if(errors === _errs12){
if(typeof data5 === "string"){
if(!(formats2(data5))){
validate179.errors = [{instancePath:instancePath+"/authed_at",schemaPath:"#/properties/authed_at/format",keyword:"format",params:{format: "timestamp"}}];
return false;
}
}
else {
validate179.errors = [{instancePath:instancePath+"/authed_at",schemaPath:"#/properties/authed_at/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs12 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.cleared_at !== undefined){
let data6 = data.cleared_at;
const _errs14 = errors;
if(errors === _errs14){
if(errors === _errs14){
if(typeof data6 === "string"){
if(!(formats2(data6))){
validate179.errors = [{instancePath:instancePath+"/cleared_at",schemaPath:"#/properties/cleared_at/format",keyword:"format",params:{format: "timestamp"}}];
return false;
}
}
else {
validate179.errors = [{instancePath:instancePath+"/cleared_at",schemaPath:"#/properties/cleared_at/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs14 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.reverted_at !== undefined){
let data7 = data.reverted_at;
const _errs16 = errors;
if(errors === _errs16){
if(errors === _errs16){
if(typeof data7 === "string"){
if(!(formats2(data7))){
validate179.errors = [{instancePath:instancePath+"/reverted_at",schemaPath:"#/properties/reverted_at/format",keyword:"format",params:{format: "timestamp"}}];
return false;
}
}
else {
validate179.errors = [{instancePath:instancePath+"/reverted_at",schemaPath:"#/properties/reverted_at/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid0 = _errs16 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.clips !== undefined){
let data8 = data.clips;
const _errs18 = errors;
if(errors === _errs18){
if(Array.isArray(data8)){
var valid2 = true;
const len1 = data8.length;
for(let i1=0; i1<len1; i1++){
const _errs20 = errors;
if(!(validate159(data8[i1], {instancePath:instancePath+"/clips/" + i1,parentData:data8,parentDataProperty:i1,rootData}))){
vErrors = vErrors === null ? validate159.errors : vErrors.concat(validate159.errors);
errors = vErrors.length;
}
var valid2 = _errs20 === errors;
if(!valid2){
break;
}
}
}
else {
validate179.errors = [{instancePath:instancePath+"/clips",schemaPath:"#/properties/clips/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs18 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.enrolments !== undefined){
let data10 = data.enrolments;
const _errs21 = errors;
if(errors === _errs21){
if(Array.isArray(data10)){
var valid3 = true;
const len2 = data10.length;
for(let i2=0; i2<len2; i2++){
const _errs23 = errors;
if(!(validate157(data10[i2], {instancePath:instancePath+"/enrolments/" + i2,parentData:data10,parentDataProperty:i2,rootData}))){
vErrors = vErrors === null ? validate157.errors : vErrors.concat(validate157.errors);
errors = vErrors.length;
}
var valid3 = _errs23 === errors;
if(!valid3){
break;
}
}
}
else {
validate179.errors = [{instancePath:instancePath+"/enrolments",schemaPath:"#/properties/enrolments/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid0 = _errs21 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate179.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate179.errors = vErrors;
return errors === 0;
}

export interface Validator {
  (body: unknown): boolean;
  errors?: readonly SchemaViolation[] | null;
  /** What it was made of; only of requests. */
  readonly schema?: object;
}

validate_api_token_create.schema = {"type":"object","required":["access","description"],"properties":{"access":{"enum":["read","write"]},"description":{"type":"string","maxLength":1024,"format":"storable"},"expires_at":{"type":"string","format":"timestamp"}},"additionalProperties":false};
validate_api_token_list.schema = {"type":"object","properties":{"pagination":{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":1000},"cursor":{"type":["string","null"],"maxLength":1024},"skip":{"type":"integer","minimum":0,"maximum":100000}},"additionalProperties":false}},"additionalProperties":false};
validate_api_token_revoke.schema = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};
validate_member_base_create.schema = {"type":"object","required":["name"],"properties":{"name":{"type":"string","minLength":1,"maxLength":256,"format":"printable"}},"additionalProperties":false};
validate_member_base_get.schema = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};
validate_member_base_list.schema = {"type":"object","properties":{"pagination":{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":1000},"cursor":{"type":["string","null"],"maxLength":1024},"skip":{"type":"integer","minimum":0,"maximum":100000}},"additionalProperties":false},"filters":{"type":"array","maxItems":100,"items":{"$ref":"#/$defs/filter_1"}}},"additionalProperties":false,"$defs":{"filter_1":{"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["name"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_2"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_2"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]},"filter_2":{"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["name"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_3"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_3"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]},"filter_3":{"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["name"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_4"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_4"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]},"filter_4":{"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["name"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_5"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_5"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]},"filter_5":{"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["name"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_6"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_6"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]},"filter_6":{"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\": combinators nest at most 5 deep","additionalProperties":false,"properties":{"key":{"type":"string","enum":["name"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2}]}}};
validate_member_base_delete.schema = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};
validate_member_list.schema = {"type":"object","required":["member_base_id"],"properties":{"member_base_id":{"type":"string"},"pagination":{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":1000},"cursor":{"type":["string","null"],"maxLength":1024},"skip":{"type":"integer","minimum":0,"maximum":100000}},"additionalProperties":false},"filters":{"type":"array","maxItems":100,"items":{"$ref":"#/$defs/filter_1"}}},"additionalProperties":false,"$defs":{"filter_1":{"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["id","ref"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_2"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_2"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]},"filter_2":{"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["id","ref"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_3"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_3"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]},"filter_3":{"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["id","ref"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_4"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_4"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]},"filter_4":{"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["id","ref"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_5"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_5"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]},"filter_5":{"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["id","ref"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_6"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_6"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]},"filter_6":{"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\": combinators nest at most 5 deep","additionalProperties":false,"properties":{"key":{"type":"string","enum":["id","ref"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2}]}}};
validate_member_bulk_delete.schema = {"type":"object","required":["member_base_id"],"properties":{"member_base_id":{"type":"string"},"member_ids":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":5000},"refs":{"type":"array","items":{"type":"string","minLength":1,"maxLength":256,"format":"printable"},"minItems":1,"maxItems":5000}},"additionalProperties":false,"$comment":"must have either member_ids or refs","oneOf":[{"required":["member_ids"]},{"required":["refs"]}]};
validate_member_bulk_upsert.schema = {"type":"object","required":["member_base_id","members"],"properties":{"member_base_id":{"type":"string"},"members":{"type":"array","items":{"type":"object","required":["ref"],"properties":{"ref":{"type":"string","minLength":1,"maxLength":256,"format":"printable"},"attributes":{"type":"object","maxProperties":64,"propertyNames":{"type":"string","minLength":1,"maxLength":256,"format":"printable"},"additionalProperties":{"type":["string","number","boolean","null","array"],"format":"storable","items":{"type":"string","format":"storable"}}}},"additionalProperties":false},"minItems":1,"maxItems":5000}},"additionalProperties":false};
validate_member_get.schema = {"type":"object","additionalProperties":false,"properties":{"id":{"type":"string"},"member_base_id":{"type":"string"},"ref":{"type":"string","minLength":1,"maxLength":256,"format":"printable"}},"$comment":"must have either id, or member_base_id and ref","oneOf":[{"required":["id"],"maxProperties":1},{"required":["member_base_id","ref"],"maxProperties":2}]};
validate_member_find.schema = {"type":"object","required":["ref"],"properties":{"ref":{"type":"string","minLength":1,"maxLength":256,"format":"printable"},"pagination":{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":1000},"cursor":{"type":["string","null"],"maxLength":1024},"skip":{"type":"integer","minimum":0,"maximum":100000}},"additionalProperties":false}},"additionalProperties":false};
validate_id_resolve.schema = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};
validate_transaction_batch_get.schema = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};
validate_transaction_rejection_list.schema = {"type":"object","properties":{"external_id":{"type":"string","minLength":1,"maxLength":128,"format":"printable"},"member_id":{"type":"string"},"since":{"type":"string","format":"timestamp","description":"Rejected at this time or later."},"until":{"type":"string","format":"timestamp","description":"Rejected before this time."},"pagination":{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":1000},"cursor":{"type":["string","null"],"maxLength":1024},"skip":{"type":"integer","minimum":0,"maximum":100000}},"additionalProperties":false}},"additionalProperties":false};
validate_transaction_list.schema = {"type":"object","required":["member_id"],"properties":{"member_id":{"type":"string"},"state":{"enum":["authorized","cleared","reverted"]},"since":{"type":"string","format":"timestamp","description":"Authorized at this time or later."},"until":{"type":"string","format":"timestamp","description":"Authorized before this time."},"pagination":{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":1000},"cursor":{"type":["string","null"],"maxLength":1024},"skip":{"type":"integer","minimum":0,"maximum":100000}},"additionalProperties":false}},"additionalProperties":false};
validate_transaction_export.schema = {"type":"object","properties":{"since":{"type":"string","format":"timestamp","description":"Authorized at this time or later."},"until":{"type":"string","format":"timestamp","description":"Authorized before this time."},"pagination":{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":1000},"cursor":{"type":["string","null"],"maxLength":1024},"skip":{"type":"integer","minimum":0,"maximum":100000}},"additionalProperties":false}},"additionalProperties":false};
validate_transaction_get.schema = {"type":"object","required":["external_id"],"properties":{"external_id":{"type":"string","minLength":1,"maxLength":128,"format":"printable"}},"additionalProperties":false};
validate_transaction_trace.schema = {"type":"object","required":["external_id"],"properties":{"external_id":{"type":"string","minLength":1,"maxLength":128,"format":"printable"}},"additionalProperties":false};
validate_transaction_ingest.schema = {"type":"object","required":["events"],"properties":{"events":{"type":"array","items":{"type":"object","required":["member_id","external_id","auth_code","network","bin","merchant_id","authed_at"],"properties":{"member_id":{"type":"string"},"external_id":{"type":"string","minLength":1,"maxLength":128,"format":"printable"},"auth_code":{"type":"string","minLength":1,"maxLength":32,"format":"card-free"},"network":{"enum":["visa","mastercard","amex","other"]},"bin":{"type":"string","pattern":"^[0-9]{6,8}$"},"merchant_id":{"type":"string","minLength":1,"maxLength":64,"format":"printable"},"statement_descriptor":{"type":"string","maxLength":128,"format":"card-free"},"amount":{"type":"integer","minimum":0,"maximum":9007199254740991},"currency":{"type":"string","format":"currency"},"authed_at":{"type":"string","format":"timestamp"},"cleared_at":{"type":"string","format":"timestamp"},"reverted_at":{"type":"string","format":"timestamp"}},"additionalProperties":false,"not":{"type":"object","properties":{"cleared_at":{},"reverted_at":{}},"required":["cleared_at","reverted_at"]}},"minItems":1,"maxItems":5000}},"additionalProperties":false};
validate_loyalty_program_list.schema = {"type":"object","properties":{"pagination":{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":1000},"cursor":{"type":["string","null"],"maxLength":1024},"skip":{"type":"integer","minimum":0,"maximum":100000}},"additionalProperties":false}},"additionalProperties":false};
validate_loyalty_program_get.schema = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};
validate_deal_list.schema = {"type":"object","properties":{"pagination":{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":1000},"cursor":{"type":["string","null"],"maxLength":1024},"skip":{"type":"integer","minimum":0,"maximum":100000}},"additionalProperties":false}},"additionalProperties":false};
validate_deal_get.schema = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};
validate_wallet_stamp_collection_create.schema = {"type":"object","required":["loyalty_program_id","member_id"],"properties":{"loyalty_program_id":{"type":"string"},"member_id":{"type":"string"}},"additionalProperties":false};
validate_wallet_stamp_collection_get.schema = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};
validate_wallet_stamp_collection_list.schema = {"type":"object","required":["member_id"],"properties":{"member_id":{"type":"string"},"pagination":{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":1000},"cursor":{"type":["string","null"],"maxLength":1024},"skip":{"type":"integer","minimum":0,"maximum":100000}},"additionalProperties":false}},"additionalProperties":false};
validate_qualifying_purchase_list.schema = {"type":"object","required":["stamp_collection_id"],"properties":{"stamp_collection_id":{"type":"string"},"pagination":{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":1000},"cursor":{"type":["string","null"],"maxLength":1024},"skip":{"type":"integer","minimum":0,"maximum":100000}},"additionalProperties":false}},"additionalProperties":false};
validate_wallet_clip_save.schema = {"type":"object","required":["deal_id","member_id"],"properties":{"deal_id":{"type":"string"},"member_id":{"type":"string"}},"additionalProperties":false};
validate_wallet_clip_list.schema = {"type":"object","required":["member_id"],"properties":{"member_id":{"type":"string"},"pagination":{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":1000},"cursor":{"type":["string","null"],"maxLength":1024},"skip":{"type":"integer","minimum":0,"maximum":100000}},"additionalProperties":false}},"additionalProperties":false};
validate_wallet_cashback_list.schema = {"type":"object","required":["member_id"],"properties":{"member_id":{"type":"string"},"pagination":{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":1000},"cursor":{"type":["string","null"],"maxLength":1024},"skip":{"type":"integer","minimum":0,"maximum":100000}},"additionalProperties":false}},"additionalProperties":false};
validate_wallet_redemption_list.schema = {"type":"object","required":["member_id"],"properties":{"member_id":{"type":"string"},"pagination":{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":1000},"cursor":{"type":["string","null"],"maxLength":1024},"skip":{"type":"integer","minimum":0,"maximum":100000}},"additionalProperties":false}},"additionalProperties":false};
validate_webhook_create.schema = {"type":"object","required":["url","events"],"properties":{"url":{"type":"string","minLength":1,"maxLength":2048,"format":"printable"},"events":{"type":"array","items":{"type":"string","enum":["*","cashback.*","qualifying_purchase.*","transaction.*","cashback.created","cashback.cleared","cashback.reverted","qualifying_purchase.created","qualifying_purchase.voided","qualifying_purchase.unredeemed","transaction.rejected"]},"minItems":1,"maxItems":11,"uniqueItems":true},"description":{"type":"string","maxLength":1024,"format":"storable"},"secret":{"type":"string","format":"webhook-secret"}},"additionalProperties":false};
validate_webhook_get.schema = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};
validate_webhook_list.schema = {"type":"object","properties":{"pagination":{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":1000},"cursor":{"type":["string","null"],"maxLength":1024},"skip":{"type":"integer","minimum":0,"maximum":100000}},"additionalProperties":false}},"additionalProperties":false};
validate_webhook_update.schema = {"type":"object","required":["id"],"properties":{"id":{"type":"string"},"url":{"type":"string","minLength":1,"maxLength":2048,"format":"printable"},"events":{"type":"array","items":{"type":"string","enum":["*","cashback.*","qualifying_purchase.*","transaction.*","cashback.created","cashback.cleared","cashback.reverted","qualifying_purchase.created","qualifying_purchase.voided","qualifying_purchase.unredeemed","transaction.rejected"]},"minItems":1,"maxItems":11,"uniqueItems":true},"description":{"type":"string","maxLength":1024,"format":"storable"},"state":{"enum":["enabled","paused"]}},"additionalProperties":false};
validate_webhook_delete.schema = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};
validate_webhook_rotate_secret.schema = {"type":"object","required":["id"],"properties":{"id":{"type":"string"},"overlap_seconds":{"type":"integer","minimum":0,"maximum":604800}},"additionalProperties":false};
validate_webhook_test.schema = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};
validate_webhook_retry.schema = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};
validate_webhook_delivery_list.schema = {"type":"object","required":["webhook_id"],"properties":{"webhook_id":{"type":"string"},"state":{"enum":["pending","delivered","failed"]},"order":{"enum":["oldest","newest"]},"since":{"type":"string","format":"timestamp"},"until":{"type":"string","format":"timestamp"},"event_id":{"type":"string"},"pagination":{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":1000},"cursor":{"type":["string","null"],"maxLength":1024},"skip":{"type":"integer","minimum":0,"maximum":100000}},"additionalProperties":false}},"additionalProperties":false};
validate_webhook_delivery_get.schema = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};
validate_webhook_delivery_replay.schema = {"type":"object","required":["webhook_id"],"properties":{"webhook_id":{"type":"string"},"event_ids":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":1000},"since":{"type":"string","format":"timestamp"},"until":{"type":"string","format":"timestamp"},"failed":{"type":"boolean","enum":[true]}},"additionalProperties":false,"$comment":"must have exactly one of event_ids, since (with until, if wanted), and failed","oneOf":[{"required":["webhook_id","event_ids"],"maxProperties":2},{"required":["webhook_id","since"],"maxProperties":2},{"required":["webhook_id","since","until"],"maxProperties":3},{"required":["webhook_id","failed"],"maxProperties":2}]};
validate_event_list.schema = {"type":"object","properties":{"after":{"type":["string","null"],"maxLength":1024},"types":{"type":"array","items":{"type":"string","enum":["*","cashback.*","qualifying_purchase.*","transaction.*","cashback.created","cashback.cleared","cashback.reverted","qualifying_purchase.created","qualifying_purchase.voided","qualifying_purchase.unredeemed","transaction.rejected","webhook.test"]},"minItems":1,"maxItems":12,"uniqueItems":true},"transaction_ref":{"type":"string","minLength":1,"maxLength":128,"format":"printable"},"since":{"type":"string","format":"timestamp"},"limit":{"type":"integer","minimum":1,"maximum":1000}},"additionalProperties":false};
validate_platform_loyalty_program_upsert.schema = {"type":"object","required":["name","qualifying_threshold","reward_config","display_content","rules"],"properties":{"id":{"type":"string"},"name":{"type":"string","minLength":1,"maxLength":256,"format":"printable"},"qualifying_threshold":{"type":"integer","minimum":1,"maximum":1000000},"reward_config":{"type":"object","required":["type"],"discriminator":{"propertyName":"type"},"oneOf":[{"type":"object","required":["type"],"properties":{"type":{"type":"string","const":"refund"}},"additionalProperties":false},{"type":"object","required":["type","amount"],"properties":{"type":{"type":"string","const":"fixed-reward"},"amount":{"type":"integer","minimum":0,"maximum":9007199254740991}},"additionalProperties":false}]},"display_content":{"type":"object","required":["title","image","summary","description","terms"],"properties":{"title":{"type":"string","maxLength":20000,"format":"storable"},"image":{"type":"string","maxLength":20000,"format":"storable"},"logo":{"type":"string","maxLength":20000,"format":"storable"},"summary":{"type":"string","maxLength":20000,"format":"storable"},"description":{"type":"string","maxLength":20000,"format":"storable"},"terms":{"type":"string","maxLength":20000,"format":"storable"},"reward":{"type":"object","required":["formatted"],"properties":{"formatted":{"type":"string","maxLength":20000,"format":"storable"}},"additionalProperties":false}},"additionalProperties":false},"rules":{"type":"object","required":["merchant_ids"],"properties":{"merchant_ids":{"type":"array","items":{"type":"string","minLength":1,"maxLength":64,"format":"printable"},"minItems":1,"maxItems":1000},"statement_descriptor":{"type":"string","minLength":1,"maxLength":128,"format":"printable","description":"A prefix, only looked at where several retailers share the merchant id."},"min_amount":{"type":"integer","minimum":0,"maximum":9007199254740991},"currency":{"type":"string","format":"currency"},"paid_after":{"type":"string","format":"timestamp"},"paid_before":{"type":"string","format":"timestamp"},"retroactive":{"type":"boolean"},"confirmation":{"enum":["retailer","none"]}},"additionalProperties":false}},"additionalProperties":false};
validate_platform_loyalty_program_get.schema = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};
validate_platform_loyalty_program_list.schema = {"type":"object","properties":{"pagination":{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":1000},"cursor":{"type":["string","null"],"maxLength":1024},"skip":{"type":"integer","minimum":0,"maximum":100000}},"additionalProperties":false}},"additionalProperties":false};
validate_platform_loyalty_program_delete.schema = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};
validate_platform_loyalty_program_dry_run.schema = {"type":"object","required":["name","qualifying_threshold","reward_config","display_content","rules"],"properties":{"id":{"type":"string"},"name":{"type":"string","minLength":1,"maxLength":256,"format":"printable"},"qualifying_threshold":{"type":"integer","minimum":1,"maximum":1000000},"reward_config":{"type":"object","required":["type"],"discriminator":{"propertyName":"type"},"oneOf":[{"type":"object","required":["type"],"properties":{"type":{"type":"string","const":"refund"}},"additionalProperties":false},{"type":"object","required":["type","amount"],"properties":{"type":{"type":"string","const":"fixed-reward"},"amount":{"type":"integer","minimum":0,"maximum":9007199254740991}},"additionalProperties":false}]},"display_content":{"type":"object","required":["title","image","summary","description","terms"],"properties":{"title":{"type":"string","maxLength":20000,"format":"storable"},"image":{"type":"string","maxLength":20000,"format":"storable"},"logo":{"type":"string","maxLength":20000,"format":"storable"},"summary":{"type":"string","maxLength":20000,"format":"storable"},"description":{"type":"string","maxLength":20000,"format":"storable"},"terms":{"type":"string","maxLength":20000,"format":"storable"},"reward":{"type":"object","required":["formatted"],"properties":{"formatted":{"type":"string","maxLength":20000,"format":"storable"}},"additionalProperties":false}},"additionalProperties":false},"rules":{"type":"object","required":["merchant_ids"],"properties":{"merchant_ids":{"type":"array","items":{"type":"string","minLength":1,"maxLength":64,"format":"printable"},"minItems":1,"maxItems":1000},"statement_descriptor":{"type":"string","minLength":1,"maxLength":128,"format":"printable","description":"A prefix, only looked at where several retailers share the merchant id."},"min_amount":{"type":"integer","minimum":0,"maximum":9007199254740991},"currency":{"type":"string","format":"currency"},"paid_after":{"type":"string","format":"timestamp"},"paid_before":{"type":"string","format":"timestamp"},"retroactive":{"type":"boolean"},"confirmation":{"enum":["retailer","none"]}},"additionalProperties":false}},"additionalProperties":false};
validate_platform_deal_upsert.schema = {"type":"object","required":["name","reward_config","display_content","rules"],"properties":{"id":{"type":"string"},"name":{"type":"string","minLength":1,"maxLength":256,"format":"printable"},"reward_config":{"type":"object","required":["type"],"discriminator":{"propertyName":"type"},"oneOf":[{"type":"object","required":["type","percent"],"properties":{"type":{"type":"string","const":"percent"},"percent":{"type":"number","exclusiveMinimum":0,"maximum":100},"max_amount":{"type":"integer","minimum":0,"maximum":9007199254740991}},"additionalProperties":false},{"type":"object","required":["type","amount","currency"],"properties":{"type":{"type":"string","const":"fixed"},"amount":{"type":"integer","minimum":0,"maximum":9007199254740991},"currency":{"type":"string","format":"currency"}},"additionalProperties":false}]},"display_content":{"type":"object","required":["title","image","summary","description","terms"],"properties":{"title":{"type":"string","maxLength":20000,"format":"storable"},"image":{"type":"string","maxLength":20000,"format":"storable"},"logo":{"type":"string","maxLength":20000,"format":"storable"},"summary":{"type":"string","maxLength":20000,"format":"storable"},"description":{"type":"string","maxLength":20000,"format":"storable"},"terms":{"type":"string","maxLength":20000,"format":"storable"},"reward":{"type":"object","required":["formatted"],"properties":{"formatted":{"type":"string","maxLength":20000,"format":"storable"}},"additionalProperties":false}},"additionalProperties":false},"rules":{"type":"object","required":["merchant_ids"],"properties":{"merchant_ids":{"type":"array","items":{"type":"string","minLength":1,"maxLength":64,"format":"printable"},"minItems":1,"maxItems":1000},"statement_descriptor":{"type":"string","minLength":1,"maxLength":128,"format":"printable","description":"A prefix, only looked at where several retailers share the merchant id."},"min_amount":{"type":"integer","minimum":0,"maximum":9007199254740991},"currency":{"type":"string","format":"currency"},"paid_after":{"type":"string","format":"timestamp"},"paid_before":{"type":"string","format":"timestamp"},"retroactive":{"type":"boolean"},"confirmation":{"enum":["retailer","none"]}},"additionalProperties":false},"starts_at":{"type":"string","format":"timestamp"},"ends_at":{"type":"string","format":"timestamp"}},"additionalProperties":false};
validate_platform_deal_get.schema = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};
validate_platform_deal_list.schema = {"type":"object","properties":{"pagination":{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":1000},"cursor":{"type":["string","null"],"maxLength":1024},"skip":{"type":"integer","minimum":0,"maximum":100000}},"additionalProperties":false}},"additionalProperties":false};
validate_platform_deal_delete.schema = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};
validate_platform_deal_dry_run.schema = {"type":"object","required":["name","reward_config","display_content","rules"],"properties":{"id":{"type":"string"},"name":{"type":"string","minLength":1,"maxLength":256,"format":"printable"},"reward_config":{"type":"object","required":["type"],"discriminator":{"propertyName":"type"},"oneOf":[{"type":"object","required":["type","percent"],"properties":{"type":{"type":"string","const":"percent"},"percent":{"type":"number","exclusiveMinimum":0,"maximum":100},"max_amount":{"type":"integer","minimum":0,"maximum":9007199254740991}},"additionalProperties":false},{"type":"object","required":["type","amount","currency"],"properties":{"type":{"type":"string","const":"fixed"},"amount":{"type":"integer","minimum":0,"maximum":9007199254740991},"currency":{"type":"string","format":"currency"}},"additionalProperties":false}]},"display_content":{"type":"object","required":["title","image","summary","description","terms"],"properties":{"title":{"type":"string","maxLength":20000,"format":"storable"},"image":{"type":"string","maxLength":20000,"format":"storable"},"logo":{"type":"string","maxLength":20000,"format":"storable"},"summary":{"type":"string","maxLength":20000,"format":"storable"},"description":{"type":"string","maxLength":20000,"format":"storable"},"terms":{"type":"string","maxLength":20000,"format":"storable"},"reward":{"type":"object","required":["formatted"],"properties":{"formatted":{"type":"string","maxLength":20000,"format":"storable"}},"additionalProperties":false}},"additionalProperties":false},"rules":{"type":"object","required":["merchant_ids"],"properties":{"merchant_ids":{"type":"array","items":{"type":"string","minLength":1,"maxLength":64,"format":"printable"},"minItems":1,"maxItems":1000},"statement_descriptor":{"type":"string","minLength":1,"maxLength":128,"format":"printable","description":"A prefix, only looked at where several retailers share the merchant id."},"min_amount":{"type":"integer","minimum":0,"maximum":9007199254740991},"currency":{"type":"string","format":"currency"},"paid_after":{"type":"string","format":"timestamp"},"paid_before":{"type":"string","format":"timestamp"},"retroactive":{"type":"boolean"},"confirmation":{"enum":["retailer","none"]}},"additionalProperties":false},"starts_at":{"type":"string","format":"timestamp"},"ends_at":{"type":"string","format":"timestamp"}},"additionalProperties":false};
validate_platform_retailer_upsert.schema = {"type":"object","required":["name","merchant_ids"],"properties":{"id":{"type":"string"},"name":{"type":"string","minLength":1,"maxLength":256,"format":"printable"},"merchant_ids":{"type":"array","items":{"type":"string","minLength":1,"maxLength":64,"format":"printable"},"minItems":1,"maxItems":1000},"statement_descriptors":{"type":"array","items":{"type":"string","minLength":1,"maxLength":128,"format":"printable"},"maxItems":1000}},"additionalProperties":false};
validate_platform_retailer_get.schema = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};
validate_platform_retailer_list.schema = {"type":"object","properties":{"pagination":{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":1000},"cursor":{"type":["string","null"],"maxLength":1024},"skip":{"type":"integer","minimum":0,"maximum":100000}},"additionalProperties":false}},"additionalProperties":false};
validate_platform_retailer_rotate_token.schema = {"type":"object","required":["id"],"properties":{"id":{"type":"string"},"overlap_seconds":{"type":"integer","minimum":0,"maximum":604800}},"additionalProperties":false};
validate_platform_retailer_delete.schema = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};
validate_platform_payment_ingest.schema = {"type":"object","required":["payments"],"properties":{"retailer_id":{"type":"string"},"payments":{"type":"array","items":{"type":"object","required":["payment_id","identifiers","amount","currency","paid_at"],"properties":{"payment_id":{"type":"string","minLength":1,"maxLength":128,"format":"printable"},"identifiers":{"type":"array","items":{"type":"string","pattern":"^[0-9a-f]{64}$"},"minItems":1,"maxItems":8},"bin_digits":{"type":"array","items":{"type":"integer","enum":[6,8]},"minItems":1,"maxItems":8,"description":"Over how many digits of the card each identifier is, in their order."},"amount":{"type":"integer","minimum":0,"maximum":9007199254740991},"currency":{"type":"string","format":"currency"},"paid_at":{"type":"string","format":"timestamp"}},"additionalProperties":false},"minItems":1,"maxItems":5000}},"additionalProperties":false};
validate_platform_payment_get.schema = {"type":"object","required":["retailer_id","payment_id"],"properties":{"retailer_id":{"type":"string"},"payment_id":{"type":"string","minLength":1,"maxLength":128,"format":"printable"}},"additionalProperties":false};
validate_platform_payment_list.schema = {"type":"object","properties":{"retailer_id":{"type":"string"},"since":{"type":"string","format":"timestamp","description":"Paid at this time or later."},"until":{"type":"string","format":"timestamp","description":"Paid before this time."},"pagination":{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":1000},"cursor":{"type":["string","null"],"maxLength":1024},"skip":{"type":"integer","minimum":0,"maximum":100000}},"additionalProperties":false}},"additionalProperties":false};
validate_platform_purchase_explain.schema = {"type":"object","properties":{"transaction_id":{"type":"string"},"merchant_id":{"type":"string","minLength":1,"maxLength":64,"format":"printable"},"statement_descriptor":{"type":"string","maxLength":128,"format":"storable"},"amount":{"type":"integer","minimum":0,"maximum":9007199254740991},"currency":{"type":"string","format":"currency"},"authed_at":{"type":"string","format":"timestamp"},"cleared_at":{"type":"string","format":"timestamp"},"reverted_at":{"type":"string","format":"timestamp"},"enrolments":{"type":"array","items":{"type":"object","required":["stamp_collection_id","loyalty_program_id"],"properties":{"stamp_collection_id":{"type":"string"},"loyalty_program_id":{"type":"string"}},"additionalProperties":false},"maxItems":1000,"description":"Those of the member that count for the purchase."},"clips":{"type":"array","items":{"type":"object","required":["clip_id","deal_id"],"properties":{"clip_id":{"type":"string"},"deal_id":{"type":"string"}},"additionalProperties":false},"maxItems":1000,"description":"Those of the member that count for the purchase."}},"additionalProperties":false};

/** The compiled validator of every route's request body. */
export const VALIDATORS: Readonly<Record<RouteName, Validator>> = {
  "api-token/create": validate_api_token_create,
  "api-token/list": validate_api_token_list,
  "api-token/revoke": validate_api_token_revoke,
  "member-base/create": validate_member_base_create,
  "member-base/get": validate_member_base_get,
  "member-base/list": validate_member_base_list,
  "member-base/delete": validate_member_base_delete,
  "member/list": validate_member_list,
  "member/bulk-delete": validate_member_bulk_delete,
  "member/bulk-upsert": validate_member_bulk_upsert,
  "member/get": validate_member_get,
  "member/find": validate_member_find,
  "id/resolve": validate_id_resolve,
  "transaction.batch/get": validate_transaction_batch_get,
  "transaction.rejection/list": validate_transaction_rejection_list,
  "transaction/list": validate_transaction_list,
  "transaction/export": validate_transaction_export,
  "transaction/get": validate_transaction_get,
  "transaction/trace": validate_transaction_trace,
  "transaction/ingest": validate_transaction_ingest,
  "loyalty-program/list": validate_loyalty_program_list,
  "loyalty-program/get": validate_loyalty_program_get,
  "deal/list": validate_deal_list,
  "deal/get": validate_deal_get,
  "wallet.stamp-collection/create": validate_wallet_stamp_collection_create,
  "wallet.stamp-collection/get": validate_wallet_stamp_collection_get,
  "wallet.stamp-collection/list": validate_wallet_stamp_collection_list,
  "qualifying-purchase/list": validate_qualifying_purchase_list,
  "wallet.clip/save": validate_wallet_clip_save,
  "wallet.clip/list": validate_wallet_clip_list,
  "wallet.cashback/list": validate_wallet_cashback_list,
  "wallet.redemption/list": validate_wallet_redemption_list,
  "webhook/create": validate_webhook_create,
  "webhook/get": validate_webhook_get,
  "webhook/list": validate_webhook_list,
  "webhook/update": validate_webhook_update,
  "webhook/delete": validate_webhook_delete,
  "webhook/rotate-secret": validate_webhook_rotate_secret,
  "webhook/test": validate_webhook_test,
  "webhook/retry": validate_webhook_retry,
  "webhook.delivery/list": validate_webhook_delivery_list,
  "webhook.delivery/get": validate_webhook_delivery_get,
  "webhook.delivery/replay": validate_webhook_delivery_replay,
  "event/list": validate_event_list,
};

/** The compiled validator of every route's request body, of the platform. */
export const PLATFORM_VALIDATORS: Readonly<Record<PlatformRouteName, Validator>> = {
  "loyalty-program/upsert": validate_platform_loyalty_program_upsert,
  "loyalty-program/get": validate_platform_loyalty_program_get,
  "loyalty-program/list": validate_platform_loyalty_program_list,
  "loyalty-program/delete": validate_platform_loyalty_program_delete,
  "loyalty-program/dry-run": validate_platform_loyalty_program_dry_run,
  "deal/upsert": validate_platform_deal_upsert,
  "deal/get": validate_platform_deal_get,
  "deal/list": validate_platform_deal_list,
  "deal/delete": validate_platform_deal_delete,
  "deal/dry-run": validate_platform_deal_dry_run,
  "retailer/upsert": validate_platform_retailer_upsert,
  "retailer/get": validate_platform_retailer_get,
  "retailer/list": validate_platform_retailer_list,
  "retailer/rotate-token": validate_platform_retailer_rotate_token,
  "retailer/delete": validate_platform_retailer_delete,
  "payment/ingest": validate_platform_payment_ingest,
  "payment/get": validate_platform_payment_get,
  "payment/list": validate_platform_payment_list,
  "purchase/explain": validate_platform_purchase_explain,
};

/** The compiled validator of everything in a stream that another system writes. */
export const MESSAGE_VALIDATORS: Readonly<Record<MessageName, Validator>> = {
  "config": validate_message_config,
  "outcome": validate_message_outcome,
  "platformRecord": validate_message_platform_ecord,
};
