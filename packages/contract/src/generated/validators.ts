// Generated from the schemas of the route table and the stream messages by `npm run generate`. Do not edit.
// biome-ignore-all lint: generated
// @ts-nocheck
import type { MessageName } from "../messages.ts";
import type { RouteName } from "../routes.ts";
import type { SchemaViolation } from "../schema-issue.ts";
import { codePointLength } from "../code-point-length.ts";
import { FORMATS } from "../formats.ts";

const FORMAT_TESTS = Object.fromEntries(Object.entries(FORMATS).map(([name, format]) => [name, format.test]));

export const validate_api_token_create = validate10;
const schema11 = {"type":"object","required":["access","description"],"properties":{"access":{"enum":["read","write"]},"description":{"type":"string","maxLength":1024,"format":"storable"},"expires_at":{"type":"string","format":"timestamp"}},"additionalProperties":false};
const formats0 = FORMAT_TESTS.storable;
const formats2 = FORMAT_TESTS.timestamp;
const func2 = codePointLength;

function validate10(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.access === undefined) && (missing0 = "access")) || ((data.description === undefined) && (missing0 = "description"))){
validate10.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((key0 === "access") || (key0 === "description")) || (key0 === "expires_at"))){
validate10.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.access !== undefined){
let data0 = data.access;
const _errs2 = errors;
if(!((data0 === "read") || (data0 === "write"))){
validate10.errors = [{instancePath:instancePath+"/access",schemaPath:"#/properties/access/enum",keyword:"enum",params:{allowedValues: schema11.properties.access.enum}}];
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
validate10.errors = [{instancePath:instancePath+"/description",schemaPath:"#/properties/description/maxLength",keyword:"maxLength",params:{limit: 1024}}];
return false;
}
else {
if(!(formats0(data1))){
validate10.errors = [{instancePath:instancePath+"/description",schemaPath:"#/properties/description/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
}
else {
validate10.errors = [{instancePath:instancePath+"/description",schemaPath:"#/properties/description/type",keyword:"type",params:{type: "string"}}];
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
validate10.errors = [{instancePath:instancePath+"/expires_at",schemaPath:"#/properties/expires_at/format",keyword:"format",params:{format: "timestamp"}}];
return false;
}
}
else {
validate10.errors = [{instancePath:instancePath+"/expires_at",schemaPath:"#/properties/expires_at/type",keyword:"type",params:{type: "string"}}];
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
validate10.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate10.errors = vErrors;
return errors === 0;
}

export const validate_api_token_list = validate11;
const schema12 = {"type":"object","properties":{"pagination":{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":1000},"cursor":{"type":["string","null"],"maxLength":1024},"skip":{"type":"integer","minimum":0,"maximum":100000}},"additionalProperties":false}},"additionalProperties":false};

function validate11(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "pagination")){
validate11.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.pagination !== undefined){
let data0 = data.pagination;
const _errs2 = errors;
if(errors === _errs2){
if(data0 && typeof data0 == "object" && !Array.isArray(data0)){
const _errs4 = errors;
for(const key1 in data0){
if(!(((key1 === "limit") || (key1 === "cursor")) || (key1 === "skip"))){
validate11.errors = [{instancePath:instancePath+"/pagination",schemaPath:"#/properties/pagination/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
return false;
break;
}
}
if(_errs4 === errors){
if(data0.limit !== undefined){
let data1 = data0.limit;
const _errs5 = errors;
if(!(((typeof data1 == "number") && (!(data1 % 1) && !isNaN(data1))) && (isFinite(data1)))){
validate11.errors = [{instancePath:instancePath+"/pagination/limit",schemaPath:"#/properties/pagination/properties/limit/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs5){
if((typeof data1 == "number") && (isFinite(data1))){
if(data1 > 1000 || isNaN(data1)){
validate11.errors = [{instancePath:instancePath+"/pagination/limit",schemaPath:"#/properties/pagination/properties/limit/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1000}}];
return false;
}
else {
if(data1 < 1 || isNaN(data1)){
validate11.errors = [{instancePath:instancePath+"/pagination/limit",schemaPath:"#/properties/pagination/properties/limit/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1}}];
return false;
}
}
}
}
var valid1 = _errs5 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data0.cursor !== undefined){
let data2 = data0.cursor;
const _errs7 = errors;
if((typeof data2 !== "string") && (data2 !== null)){
validate11.errors = [{instancePath:instancePath+"/pagination/cursor",schemaPath:"#/properties/pagination/properties/cursor/type",keyword:"type",params:{type: schema12.properties.pagination.properties.cursor.type}}];
return false;
}
if(errors === _errs7){
if(typeof data2 === "string"){
if(func2(data2) > 1024){
validate11.errors = [{instancePath:instancePath+"/pagination/cursor",schemaPath:"#/properties/pagination/properties/cursor/maxLength",keyword:"maxLength",params:{limit: 1024}}];
return false;
}
}
}
var valid1 = _errs7 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data0.skip !== undefined){
let data3 = data0.skip;
const _errs9 = errors;
if(!(((typeof data3 == "number") && (!(data3 % 1) && !isNaN(data3))) && (isFinite(data3)))){
validate11.errors = [{instancePath:instancePath+"/pagination/skip",schemaPath:"#/properties/pagination/properties/skip/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs9){
if((typeof data3 == "number") && (isFinite(data3))){
if(data3 > 100000 || isNaN(data3)){
validate11.errors = [{instancePath:instancePath+"/pagination/skip",schemaPath:"#/properties/pagination/properties/skip/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100000}}];
return false;
}
else {
if(data3 < 0 || isNaN(data3)){
validate11.errors = [{instancePath:instancePath+"/pagination/skip",schemaPath:"#/properties/pagination/properties/skip/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}}];
return false;
}
}
}
}
var valid1 = _errs9 === errors;
}
else {
var valid1 = true;
}
}
}
}
}
else {
validate11.errors = [{instancePath:instancePath+"/pagination",schemaPath:"#/properties/pagination/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
}
}
}
else {
validate11.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate11.errors = vErrors;
return errors === 0;
}

export const validate_api_token_revoke = validate12;
const schema13 = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};

function validate12(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.id === undefined) && (missing0 = "id")){
validate12.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "id")){
validate12.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
if(typeof data.id !== "string"){
validate12.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
}
}
else {
validate12.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate12.errors = vErrors;
return errors === 0;
}

export const validate_member_base_create = validate13;
const schema14 = {"type":"object","required":["name"],"properties":{"name":{"type":"string","minLength":1,"maxLength":256,"format":"printable"}},"additionalProperties":false};
const formats4 = FORMAT_TESTS.printable;

function validate13(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.name === undefined) && (missing0 = "name")){
validate13.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "name")){
validate13.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
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
validate13.errors = [{instancePath:instancePath+"/name",schemaPath:"#/properties/name/maxLength",keyword:"maxLength",params:{limit: 256}}];
return false;
}
else {
if(func2(data0) < 1){
validate13.errors = [{instancePath:instancePath+"/name",schemaPath:"#/properties/name/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats4(data0))){
validate13.errors = [{instancePath:instancePath+"/name",schemaPath:"#/properties/name/format",keyword:"format",params:{format: "printable"}}];
return false;
}
}
}
}
else {
validate13.errors = [{instancePath:instancePath+"/name",schemaPath:"#/properties/name/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
}
}
}
}
else {
validate13.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate13.errors = vErrors;
return errors === 0;
}

export const validate_member_base_get = validate14;
const schema15 = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};

function validate14(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.id === undefined) && (missing0 = "id")){
validate14.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "id")){
validate14.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
if(typeof data.id !== "string"){
validate14.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
}
}
else {
validate14.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate14.errors = vErrors;
return errors === 0;
}

export const validate_member_base_list = validate15;
const schema16 = {"type":"object","properties":{"pagination":{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":1000},"cursor":{"type":["string","null"],"maxLength":1024},"skip":{"type":"integer","minimum":0,"maximum":100000}},"additionalProperties":false},"filters":{"type":"array","maxItems":100,"items":{"$ref":"#/$defs/filter_1"}}},"additionalProperties":false,"$defs":{"filter_1":{"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["name"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_2"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_2"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]},"filter_2":{"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["name"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_3"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_3"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]},"filter_3":{"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["name"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_4"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_4"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]},"filter_4":{"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["name"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_5"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_5"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]},"filter_5":{"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["name"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_6"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_6"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]},"filter_6":{"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\": combinators nest at most 5 deep","additionalProperties":false,"properties":{"key":{"type":"string","enum":["name"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2}]}}};
const schema17 = {"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["name"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_2"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_2"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]};
const schema18 = {"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["name"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_3"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_3"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]};
const schema19 = {"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["name"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_4"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_4"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]};
const schema20 = {"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["name"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_5"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_5"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]};
const schema21 = {"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["name"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_6"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_6"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]};
const schema22 = {"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\": combinators nest at most 5 deep","additionalProperties":false,"properties":{"key":{"type":"string","enum":["name"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2}]};

function validate20(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
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
validate20.errors = vErrors;
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
validate20.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs8 === errors){
if(data.key !== undefined){
let data0 = data.key;
const _errs9 = errors;
if(typeof data0 !== "string"){
validate20.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!(data0 === "name")){
validate20.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/enum",keyword:"enum",params:{allowedValues: schema21.properties.key.enum}}];
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
validate20.errors = [{instancePath:instancePath+"/eq",schemaPath:"#/properties/eq/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate20.errors = [{instancePath:instancePath+"/eq",schemaPath:"#/properties/eq/type",keyword:"type",params:{type: "string"}}];
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
validate20.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data2.length < 1){
validate20.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/minItems",keyword:"minItems",params:{limit: 1}}];
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
validate20.errors = [{instancePath:instancePath+"/in/" + i0,schemaPath:"#/properties/in/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate20.errors = [{instancePath:instancePath+"/in/" + i0,schemaPath:"#/properties/in/items/type",keyword:"type",params:{type: "string"}}];
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
validate20.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/type",keyword:"type",params:{type: "array"}}];
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
validate20.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data4.length < 1){
validate20.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/minItems",keyword:"minItems",params:{limit: 1}}];
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
validate20.errors = [{instancePath:instancePath+"/nin/" + i1,schemaPath:"#/properties/nin/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate20.errors = [{instancePath:instancePath+"/nin/" + i1,schemaPath:"#/properties/nin/items/type",keyword:"type",params:{type: "string"}}];
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
validate20.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/type",keyword:"type",params:{type: "array"}}];
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
validate20.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/maxItems",keyword:"maxItems",params:{limit: 100}}];
return false;
}
else {
if(data6.length < 1){
validate20.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid4 = true;
const len2 = data6.length;
for(let i2=0; i2<len2; i2++){
let data7 = data6[i2];
const _errs23 = errors;
const _errs24 = errors;
const _errs27 = errors;
let valid6 = false;
let passing1 = null;
const _errs28 = errors;
if(data7 && typeof data7 == "object" && !Array.isArray(data7)){
if(Object.keys(data7).length > 2){
const err11 = {instancePath:instancePath+"/or/" + i2,schemaPath:"#/$defs/filter_6/oneOf/0/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
else {
let missing5;
if(((data7.key === undefined) && (missing5 = "key")) || ((data7.eq === undefined) && (missing5 = "eq"))){
const err12 = {instancePath:instancePath+"/or/" + i2,schemaPath:"#/$defs/filter_6/oneOf/0/required",keyword:"required",params:{missingProperty: missing5}};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
}
}
var _valid1 = _errs28 === errors;
if(_valid1){
valid6 = true;
passing1 = 0;
}
const _errs29 = errors;
if(data7 && typeof data7 == "object" && !Array.isArray(data7)){
if(Object.keys(data7).length > 2){
const err13 = {instancePath:instancePath+"/or/" + i2,schemaPath:"#/$defs/filter_6/oneOf/1/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
else {
let missing6;
if(((data7.key === undefined) && (missing6 = "key")) || ((data7.in === undefined) && (missing6 = "in"))){
const err14 = {instancePath:instancePath+"/or/" + i2,schemaPath:"#/$defs/filter_6/oneOf/1/required",keyword:"required",params:{missingProperty: missing6}};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
}
}
var _valid1 = _errs29 === errors;
if(_valid1 && valid6){
valid6 = false;
passing1 = [passing1, 1];
}
else {
if(_valid1){
valid6 = true;
passing1 = 1;
}
const _errs30 = errors;
if(data7 && typeof data7 == "object" && !Array.isArray(data7)){
if(Object.keys(data7).length > 2){
const err15 = {instancePath:instancePath+"/or/" + i2,schemaPath:"#/$defs/filter_6/oneOf/2/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
else {
let missing7;
if(((data7.key === undefined) && (missing7 = "key")) || ((data7.nin === undefined) && (missing7 = "nin"))){
const err16 = {instancePath:instancePath+"/or/" + i2,schemaPath:"#/$defs/filter_6/oneOf/2/required",keyword:"required",params:{missingProperty: missing7}};
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
var _valid1 = _errs30 === errors;
if(_valid1 && valid6){
valid6 = false;
passing1 = [passing1, 2];
}
else {
if(_valid1){
valid6 = true;
passing1 = 2;
}
}
}
if(!valid6){
const err17 = {instancePath:instancePath+"/or/" + i2,schemaPath:"#/$defs/filter_6/oneOf",keyword:"oneOf",params:{passingSchemas: passing1, comment: "must be a \"key\" with one of \"eq\", \"in\" and \"nin\": combinators nest at most 5 deep"}};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
validate20.errors = vErrors;
return false;
}
else {
errors = _errs27;
if(vErrors !== null){
if(_errs27){
vErrors.length = _errs27;
}
else {
vErrors = null;
}
}
}
if(errors === _errs24){
if(data7 && typeof data7 == "object" && !Array.isArray(data7)){
const _errs31 = errors;
for(const key1 in data7){
if(!((((key1 === "key") || (key1 === "eq")) || (key1 === "in")) || (key1 === "nin"))){
validate20.errors = [{instancePath:instancePath+"/or/" + i2,schemaPath:"#/$defs/filter_6/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
return false;
break;
}
}
if(_errs31 === errors){
if(data7.key !== undefined){
let data8 = data7.key;
const _errs32 = errors;
if(typeof data8 !== "string"){
validate20.errors = [{instancePath:instancePath+"/or/" + i2+"/key",schemaPath:"#/$defs/filter_6/properties/key/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!(data8 === "name")){
validate20.errors = [{instancePath:instancePath+"/or/" + i2+"/key",schemaPath:"#/$defs/filter_6/properties/key/enum",keyword:"enum",params:{allowedValues: schema22.properties.key.enum}}];
return false;
}
var valid7 = _errs32 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data7.eq !== undefined){
let data9 = data7.eq;
const _errs34 = errors;
if(errors === _errs34){
if(errors === _errs34){
if(typeof data9 === "string"){
if(!(formats0(data9))){
validate20.errors = [{instancePath:instancePath+"/or/" + i2+"/eq",schemaPath:"#/$defs/filter_6/properties/eq/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate20.errors = [{instancePath:instancePath+"/or/" + i2+"/eq",schemaPath:"#/$defs/filter_6/properties/eq/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid7 = _errs34 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data7.in !== undefined){
let data10 = data7.in;
const _errs36 = errors;
if(errors === _errs36){
if(Array.isArray(data10)){
if(data10.length > 1000){
validate20.errors = [{instancePath:instancePath+"/or/" + i2+"/in",schemaPath:"#/$defs/filter_6/properties/in/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data10.length < 1){
validate20.errors = [{instancePath:instancePath+"/or/" + i2+"/in",schemaPath:"#/$defs/filter_6/properties/in/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid8 = true;
const len3 = data10.length;
for(let i3=0; i3<len3; i3++){
let data11 = data10[i3];
const _errs38 = errors;
if(errors === _errs38){
if(errors === _errs38){
if(typeof data11 === "string"){
if(!(formats0(data11))){
validate20.errors = [{instancePath:instancePath+"/or/" + i2+"/in/" + i3,schemaPath:"#/$defs/filter_6/properties/in/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate20.errors = [{instancePath:instancePath+"/or/" + i2+"/in/" + i3,schemaPath:"#/$defs/filter_6/properties/in/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid8 = _errs38 === errors;
if(!valid8){
break;
}
}
}
}
}
else {
validate20.errors = [{instancePath:instancePath+"/or/" + i2+"/in",schemaPath:"#/$defs/filter_6/properties/in/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid7 = _errs36 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data7.nin !== undefined){
let data12 = data7.nin;
const _errs40 = errors;
if(errors === _errs40){
if(Array.isArray(data12)){
if(data12.length > 1000){
validate20.errors = [{instancePath:instancePath+"/or/" + i2+"/nin",schemaPath:"#/$defs/filter_6/properties/nin/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data12.length < 1){
validate20.errors = [{instancePath:instancePath+"/or/" + i2+"/nin",schemaPath:"#/$defs/filter_6/properties/nin/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid9 = true;
const len4 = data12.length;
for(let i4=0; i4<len4; i4++){
let data13 = data12[i4];
const _errs42 = errors;
if(errors === _errs42){
if(errors === _errs42){
if(typeof data13 === "string"){
if(!(formats0(data13))){
validate20.errors = [{instancePath:instancePath+"/or/" + i2+"/nin/" + i4,schemaPath:"#/$defs/filter_6/properties/nin/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate20.errors = [{instancePath:instancePath+"/or/" + i2+"/nin/" + i4,schemaPath:"#/$defs/filter_6/properties/nin/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid9 = _errs42 === errors;
if(!valid9){
break;
}
}
}
}
}
else {
validate20.errors = [{instancePath:instancePath+"/or/" + i2+"/nin",schemaPath:"#/$defs/filter_6/properties/nin/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid7 = _errs40 === errors;
}
else {
var valid7 = true;
}
}
}
}
}
}
else {
validate20.errors = [{instancePath:instancePath+"/or/" + i2,schemaPath:"#/$defs/filter_6/type",keyword:"type",params:{type: "object"}}];
return false;
}
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
validate20.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/type",keyword:"type",params:{type: "array"}}];
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
let data14 = data.and;
const _errs44 = errors;
if(errors === _errs44){
if(Array.isArray(data14)){
if(data14.length > 100){
validate20.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/maxItems",keyword:"maxItems",params:{limit: 100}}];
return false;
}
else {
if(data14.length < 1){
validate20.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid10 = true;
const len5 = data14.length;
for(let i5=0; i5<len5; i5++){
let data15 = data14[i5];
const _errs46 = errors;
const _errs47 = errors;
const _errs50 = errors;
let valid12 = false;
let passing2 = null;
const _errs51 = errors;
if(data15 && typeof data15 == "object" && !Array.isArray(data15)){
if(Object.keys(data15).length > 2){
const err18 = {instancePath:instancePath+"/and/" + i5,schemaPath:"#/$defs/filter_6/oneOf/0/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
else {
let missing8;
if(((data15.key === undefined) && (missing8 = "key")) || ((data15.eq === undefined) && (missing8 = "eq"))){
const err19 = {instancePath:instancePath+"/and/" + i5,schemaPath:"#/$defs/filter_6/oneOf/0/required",keyword:"required",params:{missingProperty: missing8}};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
}
}
var _valid2 = _errs51 === errors;
if(_valid2){
valid12 = true;
passing2 = 0;
}
const _errs52 = errors;
if(data15 && typeof data15 == "object" && !Array.isArray(data15)){
if(Object.keys(data15).length > 2){
const err20 = {instancePath:instancePath+"/and/" + i5,schemaPath:"#/$defs/filter_6/oneOf/1/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
else {
let missing9;
if(((data15.key === undefined) && (missing9 = "key")) || ((data15.in === undefined) && (missing9 = "in"))){
const err21 = {instancePath:instancePath+"/and/" + i5,schemaPath:"#/$defs/filter_6/oneOf/1/required",keyword:"required",params:{missingProperty: missing9}};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
}
}
var _valid2 = _errs52 === errors;
if(_valid2 && valid12){
valid12 = false;
passing2 = [passing2, 1];
}
else {
if(_valid2){
valid12 = true;
passing2 = 1;
}
const _errs53 = errors;
if(data15 && typeof data15 == "object" && !Array.isArray(data15)){
if(Object.keys(data15).length > 2){
const err22 = {instancePath:instancePath+"/and/" + i5,schemaPath:"#/$defs/filter_6/oneOf/2/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err22];
}
else {
vErrors.push(err22);
}
errors++;
}
else {
let missing10;
if(((data15.key === undefined) && (missing10 = "key")) || ((data15.nin === undefined) && (missing10 = "nin"))){
const err23 = {instancePath:instancePath+"/and/" + i5,schemaPath:"#/$defs/filter_6/oneOf/2/required",keyword:"required",params:{missingProperty: missing10}};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
}
}
}
var _valid2 = _errs53 === errors;
if(_valid2 && valid12){
valid12 = false;
passing2 = [passing2, 2];
}
else {
if(_valid2){
valid12 = true;
passing2 = 2;
}
}
}
if(!valid12){
const err24 = {instancePath:instancePath+"/and/" + i5,schemaPath:"#/$defs/filter_6/oneOf",keyword:"oneOf",params:{passingSchemas: passing2, comment: "must be a \"key\" with one of \"eq\", \"in\" and \"nin\": combinators nest at most 5 deep"}};
if(vErrors === null){
vErrors = [err24];
}
else {
vErrors.push(err24);
}
errors++;
validate20.errors = vErrors;
return false;
}
else {
errors = _errs50;
if(vErrors !== null){
if(_errs50){
vErrors.length = _errs50;
}
else {
vErrors = null;
}
}
}
if(errors === _errs47){
if(data15 && typeof data15 == "object" && !Array.isArray(data15)){
const _errs54 = errors;
for(const key2 in data15){
if(!((((key2 === "key") || (key2 === "eq")) || (key2 === "in")) || (key2 === "nin"))){
validate20.errors = [{instancePath:instancePath+"/and/" + i5,schemaPath:"#/$defs/filter_6/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2}}];
return false;
break;
}
}
if(_errs54 === errors){
if(data15.key !== undefined){
let data16 = data15.key;
const _errs55 = errors;
if(typeof data16 !== "string"){
validate20.errors = [{instancePath:instancePath+"/and/" + i5+"/key",schemaPath:"#/$defs/filter_6/properties/key/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!(data16 === "name")){
validate20.errors = [{instancePath:instancePath+"/and/" + i5+"/key",schemaPath:"#/$defs/filter_6/properties/key/enum",keyword:"enum",params:{allowedValues: schema22.properties.key.enum}}];
return false;
}
var valid13 = _errs55 === errors;
}
else {
var valid13 = true;
}
if(valid13){
if(data15.eq !== undefined){
let data17 = data15.eq;
const _errs57 = errors;
if(errors === _errs57){
if(errors === _errs57){
if(typeof data17 === "string"){
if(!(formats0(data17))){
validate20.errors = [{instancePath:instancePath+"/and/" + i5+"/eq",schemaPath:"#/$defs/filter_6/properties/eq/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate20.errors = [{instancePath:instancePath+"/and/" + i5+"/eq",schemaPath:"#/$defs/filter_6/properties/eq/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid13 = _errs57 === errors;
}
else {
var valid13 = true;
}
if(valid13){
if(data15.in !== undefined){
let data18 = data15.in;
const _errs59 = errors;
if(errors === _errs59){
if(Array.isArray(data18)){
if(data18.length > 1000){
validate20.errors = [{instancePath:instancePath+"/and/" + i5+"/in",schemaPath:"#/$defs/filter_6/properties/in/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data18.length < 1){
validate20.errors = [{instancePath:instancePath+"/and/" + i5+"/in",schemaPath:"#/$defs/filter_6/properties/in/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid14 = true;
const len6 = data18.length;
for(let i6=0; i6<len6; i6++){
let data19 = data18[i6];
const _errs61 = errors;
if(errors === _errs61){
if(errors === _errs61){
if(typeof data19 === "string"){
if(!(formats0(data19))){
validate20.errors = [{instancePath:instancePath+"/and/" + i5+"/in/" + i6,schemaPath:"#/$defs/filter_6/properties/in/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate20.errors = [{instancePath:instancePath+"/and/" + i5+"/in/" + i6,schemaPath:"#/$defs/filter_6/properties/in/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid14 = _errs61 === errors;
if(!valid14){
break;
}
}
}
}
}
else {
validate20.errors = [{instancePath:instancePath+"/and/" + i5+"/in",schemaPath:"#/$defs/filter_6/properties/in/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid13 = _errs59 === errors;
}
else {
var valid13 = true;
}
if(valid13){
if(data15.nin !== undefined){
let data20 = data15.nin;
const _errs63 = errors;
if(errors === _errs63){
if(Array.isArray(data20)){
if(data20.length > 1000){
validate20.errors = [{instancePath:instancePath+"/and/" + i5+"/nin",schemaPath:"#/$defs/filter_6/properties/nin/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data20.length < 1){
validate20.errors = [{instancePath:instancePath+"/and/" + i5+"/nin",schemaPath:"#/$defs/filter_6/properties/nin/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid15 = true;
const len7 = data20.length;
for(let i7=0; i7<len7; i7++){
let data21 = data20[i7];
const _errs65 = errors;
if(errors === _errs65){
if(errors === _errs65){
if(typeof data21 === "string"){
if(!(formats0(data21))){
validate20.errors = [{instancePath:instancePath+"/and/" + i5+"/nin/" + i7,schemaPath:"#/$defs/filter_6/properties/nin/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate20.errors = [{instancePath:instancePath+"/and/" + i5+"/nin/" + i7,schemaPath:"#/$defs/filter_6/properties/nin/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid15 = _errs65 === errors;
if(!valid15){
break;
}
}
}
}
}
else {
validate20.errors = [{instancePath:instancePath+"/and/" + i5+"/nin",schemaPath:"#/$defs/filter_6/properties/nin/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid13 = _errs63 === errors;
}
else {
var valid13 = true;
}
}
}
}
}
}
else {
validate20.errors = [{instancePath:instancePath+"/and/" + i5,schemaPath:"#/$defs/filter_6/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid10 = _errs46 === errors;
if(!valid10){
break;
}
}
}
}
}
else {
validate20.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs44 === errors;
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
validate20.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate20.errors = vErrors;
return errors === 0;
}


function validate19(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
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
validate19.errors = vErrors;
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
validate19.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs8 === errors){
if(data.key !== undefined){
let data0 = data.key;
const _errs9 = errors;
if(typeof data0 !== "string"){
validate19.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!(data0 === "name")){
validate19.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/enum",keyword:"enum",params:{allowedValues: schema20.properties.key.enum}}];
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
validate19.errors = [{instancePath:instancePath+"/eq",schemaPath:"#/properties/eq/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate19.errors = [{instancePath:instancePath+"/eq",schemaPath:"#/properties/eq/type",keyword:"type",params:{type: "string"}}];
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
validate19.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data2.length < 1){
validate19.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/minItems",keyword:"minItems",params:{limit: 1}}];
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
validate19.errors = [{instancePath:instancePath+"/in/" + i0,schemaPath:"#/properties/in/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate19.errors = [{instancePath:instancePath+"/in/" + i0,schemaPath:"#/properties/in/items/type",keyword:"type",params:{type: "string"}}];
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
validate19.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/type",keyword:"type",params:{type: "array"}}];
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
validate19.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data4.length < 1){
validate19.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/minItems",keyword:"minItems",params:{limit: 1}}];
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
validate19.errors = [{instancePath:instancePath+"/nin/" + i1,schemaPath:"#/properties/nin/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate19.errors = [{instancePath:instancePath+"/nin/" + i1,schemaPath:"#/properties/nin/items/type",keyword:"type",params:{type: "string"}}];
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
validate19.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/type",keyword:"type",params:{type: "array"}}];
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
validate19.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/maxItems",keyword:"maxItems",params:{limit: 100}}];
return false;
}
else {
if(data6.length < 1){
validate19.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid4 = true;
const len2 = data6.length;
for(let i2=0; i2<len2; i2++){
const _errs23 = errors;
if(!(validate20(data6[i2], {instancePath:instancePath+"/or/" + i2,parentData:data6,parentDataProperty:i2,rootData}))){
vErrors = vErrors === null ? validate20.errors : vErrors.concat(validate20.errors);
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
validate19.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/type",keyword:"type",params:{type: "array"}}];
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
validate19.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/maxItems",keyword:"maxItems",params:{limit: 100}}];
return false;
}
else {
if(data8.length < 1){
validate19.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid5 = true;
const len3 = data8.length;
for(let i3=0; i3<len3; i3++){
const _errs26 = errors;
if(!(validate20(data8[i3], {instancePath:instancePath+"/and/" + i3,parentData:data8,parentDataProperty:i3,rootData}))){
vErrors = vErrors === null ? validate20.errors : vErrors.concat(validate20.errors);
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
validate19.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/type",keyword:"type",params:{type: "array"}}];
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
validate19.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate19.errors = vErrors;
return errors === 0;
}


function validate18(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
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
validate18.errors = vErrors;
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
validate18.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs8 === errors){
if(data.key !== undefined){
let data0 = data.key;
const _errs9 = errors;
if(typeof data0 !== "string"){
validate18.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!(data0 === "name")){
validate18.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/enum",keyword:"enum",params:{allowedValues: schema19.properties.key.enum}}];
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
validate18.errors = [{instancePath:instancePath+"/eq",schemaPath:"#/properties/eq/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate18.errors = [{instancePath:instancePath+"/eq",schemaPath:"#/properties/eq/type",keyword:"type",params:{type: "string"}}];
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
validate18.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data2.length < 1){
validate18.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/minItems",keyword:"minItems",params:{limit: 1}}];
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
validate18.errors = [{instancePath:instancePath+"/in/" + i0,schemaPath:"#/properties/in/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate18.errors = [{instancePath:instancePath+"/in/" + i0,schemaPath:"#/properties/in/items/type",keyword:"type",params:{type: "string"}}];
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
validate18.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/type",keyword:"type",params:{type: "array"}}];
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
validate18.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data4.length < 1){
validate18.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/minItems",keyword:"minItems",params:{limit: 1}}];
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
validate18.errors = [{instancePath:instancePath+"/nin/" + i1,schemaPath:"#/properties/nin/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate18.errors = [{instancePath:instancePath+"/nin/" + i1,schemaPath:"#/properties/nin/items/type",keyword:"type",params:{type: "string"}}];
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
validate18.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/type",keyword:"type",params:{type: "array"}}];
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
validate18.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/maxItems",keyword:"maxItems",params:{limit: 100}}];
return false;
}
else {
if(data6.length < 1){
validate18.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid4 = true;
const len2 = data6.length;
for(let i2=0; i2<len2; i2++){
const _errs23 = errors;
if(!(validate19(data6[i2], {instancePath:instancePath+"/or/" + i2,parentData:data6,parentDataProperty:i2,rootData}))){
vErrors = vErrors === null ? validate19.errors : vErrors.concat(validate19.errors);
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
validate18.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/type",keyword:"type",params:{type: "array"}}];
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
validate18.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/maxItems",keyword:"maxItems",params:{limit: 100}}];
return false;
}
else {
if(data8.length < 1){
validate18.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid5 = true;
const len3 = data8.length;
for(let i3=0; i3<len3; i3++){
const _errs26 = errors;
if(!(validate19(data8[i3], {instancePath:instancePath+"/and/" + i3,parentData:data8,parentDataProperty:i3,rootData}))){
vErrors = vErrors === null ? validate19.errors : vErrors.concat(validate19.errors);
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
validate18.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/type",keyword:"type",params:{type: "array"}}];
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
validate18.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate18.errors = vErrors;
return errors === 0;
}


function validate17(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
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
validate17.errors = vErrors;
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
validate17.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs8 === errors){
if(data.key !== undefined){
let data0 = data.key;
const _errs9 = errors;
if(typeof data0 !== "string"){
validate17.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!(data0 === "name")){
validate17.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/enum",keyword:"enum",params:{allowedValues: schema18.properties.key.enum}}];
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
validate17.errors = [{instancePath:instancePath+"/eq",schemaPath:"#/properties/eq/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate17.errors = [{instancePath:instancePath+"/eq",schemaPath:"#/properties/eq/type",keyword:"type",params:{type: "string"}}];
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
validate17.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data2.length < 1){
validate17.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/minItems",keyword:"minItems",params:{limit: 1}}];
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
validate17.errors = [{instancePath:instancePath+"/in/" + i0,schemaPath:"#/properties/in/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate17.errors = [{instancePath:instancePath+"/in/" + i0,schemaPath:"#/properties/in/items/type",keyword:"type",params:{type: "string"}}];
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
validate17.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/type",keyword:"type",params:{type: "array"}}];
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
validate17.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data4.length < 1){
validate17.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/minItems",keyword:"minItems",params:{limit: 1}}];
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
validate17.errors = [{instancePath:instancePath+"/nin/" + i1,schemaPath:"#/properties/nin/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate17.errors = [{instancePath:instancePath+"/nin/" + i1,schemaPath:"#/properties/nin/items/type",keyword:"type",params:{type: "string"}}];
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
validate17.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/type",keyword:"type",params:{type: "array"}}];
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
validate17.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/maxItems",keyword:"maxItems",params:{limit: 100}}];
return false;
}
else {
if(data6.length < 1){
validate17.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid4 = true;
const len2 = data6.length;
for(let i2=0; i2<len2; i2++){
const _errs23 = errors;
if(!(validate18(data6[i2], {instancePath:instancePath+"/or/" + i2,parentData:data6,parentDataProperty:i2,rootData}))){
vErrors = vErrors === null ? validate18.errors : vErrors.concat(validate18.errors);
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
validate17.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/type",keyword:"type",params:{type: "array"}}];
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
validate17.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/maxItems",keyword:"maxItems",params:{limit: 100}}];
return false;
}
else {
if(data8.length < 1){
validate17.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid5 = true;
const len3 = data8.length;
for(let i3=0; i3<len3; i3++){
const _errs26 = errors;
if(!(validate18(data8[i3], {instancePath:instancePath+"/and/" + i3,parentData:data8,parentDataProperty:i3,rootData}))){
vErrors = vErrors === null ? validate18.errors : vErrors.concat(validate18.errors);
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
validate17.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/type",keyword:"type",params:{type: "array"}}];
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
validate17.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate17.errors = vErrors;
return errors === 0;
}


function validate16(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
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
validate16.errors = vErrors;
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
validate16.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs8 === errors){
if(data.key !== undefined){
let data0 = data.key;
const _errs9 = errors;
if(typeof data0 !== "string"){
validate16.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!(data0 === "name")){
validate16.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/enum",keyword:"enum",params:{allowedValues: schema17.properties.key.enum}}];
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
validate16.errors = [{instancePath:instancePath+"/eq",schemaPath:"#/properties/eq/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate16.errors = [{instancePath:instancePath+"/eq",schemaPath:"#/properties/eq/type",keyword:"type",params:{type: "string"}}];
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
validate16.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data2.length < 1){
validate16.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/minItems",keyword:"minItems",params:{limit: 1}}];
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
validate16.errors = [{instancePath:instancePath+"/in/" + i0,schemaPath:"#/properties/in/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate16.errors = [{instancePath:instancePath+"/in/" + i0,schemaPath:"#/properties/in/items/type",keyword:"type",params:{type: "string"}}];
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
validate16.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/type",keyword:"type",params:{type: "array"}}];
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
validate16.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data4.length < 1){
validate16.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/minItems",keyword:"minItems",params:{limit: 1}}];
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
validate16.errors = [{instancePath:instancePath+"/nin/" + i1,schemaPath:"#/properties/nin/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate16.errors = [{instancePath:instancePath+"/nin/" + i1,schemaPath:"#/properties/nin/items/type",keyword:"type",params:{type: "string"}}];
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
validate16.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/type",keyword:"type",params:{type: "array"}}];
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
validate16.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/maxItems",keyword:"maxItems",params:{limit: 100}}];
return false;
}
else {
if(data6.length < 1){
validate16.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid4 = true;
const len2 = data6.length;
for(let i2=0; i2<len2; i2++){
const _errs23 = errors;
if(!(validate17(data6[i2], {instancePath:instancePath+"/or/" + i2,parentData:data6,parentDataProperty:i2,rootData}))){
vErrors = vErrors === null ? validate17.errors : vErrors.concat(validate17.errors);
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
validate16.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/type",keyword:"type",params:{type: "array"}}];
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
validate16.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/maxItems",keyword:"maxItems",params:{limit: 100}}];
return false;
}
else {
if(data8.length < 1){
validate16.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid5 = true;
const len3 = data8.length;
for(let i3=0; i3<len3; i3++){
const _errs26 = errors;
if(!(validate17(data8[i3], {instancePath:instancePath+"/and/" + i3,parentData:data8,parentDataProperty:i3,rootData}))){
vErrors = vErrors === null ? validate17.errors : vErrors.concat(validate17.errors);
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
validate16.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/type",keyword:"type",params:{type: "array"}}];
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
validate16.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate16.errors = vErrors;
return errors === 0;
}


function validate15(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "pagination") || (key0 === "filters"))){
validate15.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.pagination !== undefined){
let data0 = data.pagination;
const _errs2 = errors;
if(errors === _errs2){
if(data0 && typeof data0 == "object" && !Array.isArray(data0)){
const _errs4 = errors;
for(const key1 in data0){
if(!(((key1 === "limit") || (key1 === "cursor")) || (key1 === "skip"))){
validate15.errors = [{instancePath:instancePath+"/pagination",schemaPath:"#/properties/pagination/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
return false;
break;
}
}
if(_errs4 === errors){
if(data0.limit !== undefined){
let data1 = data0.limit;
const _errs5 = errors;
if(!(((typeof data1 == "number") && (!(data1 % 1) && !isNaN(data1))) && (isFinite(data1)))){
validate15.errors = [{instancePath:instancePath+"/pagination/limit",schemaPath:"#/properties/pagination/properties/limit/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs5){
if((typeof data1 == "number") && (isFinite(data1))){
if(data1 > 1000 || isNaN(data1)){
validate15.errors = [{instancePath:instancePath+"/pagination/limit",schemaPath:"#/properties/pagination/properties/limit/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1000}}];
return false;
}
else {
if(data1 < 1 || isNaN(data1)){
validate15.errors = [{instancePath:instancePath+"/pagination/limit",schemaPath:"#/properties/pagination/properties/limit/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1}}];
return false;
}
}
}
}
var valid1 = _errs5 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data0.cursor !== undefined){
let data2 = data0.cursor;
const _errs7 = errors;
if((typeof data2 !== "string") && (data2 !== null)){
validate15.errors = [{instancePath:instancePath+"/pagination/cursor",schemaPath:"#/properties/pagination/properties/cursor/type",keyword:"type",params:{type: schema16.properties.pagination.properties.cursor.type}}];
return false;
}
if(errors === _errs7){
if(typeof data2 === "string"){
if(func2(data2) > 1024){
validate15.errors = [{instancePath:instancePath+"/pagination/cursor",schemaPath:"#/properties/pagination/properties/cursor/maxLength",keyword:"maxLength",params:{limit: 1024}}];
return false;
}
}
}
var valid1 = _errs7 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data0.skip !== undefined){
let data3 = data0.skip;
const _errs9 = errors;
if(!(((typeof data3 == "number") && (!(data3 % 1) && !isNaN(data3))) && (isFinite(data3)))){
validate15.errors = [{instancePath:instancePath+"/pagination/skip",schemaPath:"#/properties/pagination/properties/skip/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs9){
if((typeof data3 == "number") && (isFinite(data3))){
if(data3 > 100000 || isNaN(data3)){
validate15.errors = [{instancePath:instancePath+"/pagination/skip",schemaPath:"#/properties/pagination/properties/skip/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100000}}];
return false;
}
else {
if(data3 < 0 || isNaN(data3)){
validate15.errors = [{instancePath:instancePath+"/pagination/skip",schemaPath:"#/properties/pagination/properties/skip/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}}];
return false;
}
}
}
}
var valid1 = _errs9 === errors;
}
else {
var valid1 = true;
}
}
}
}
}
else {
validate15.errors = [{instancePath:instancePath+"/pagination",schemaPath:"#/properties/pagination/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.filters !== undefined){
let data4 = data.filters;
const _errs11 = errors;
if(errors === _errs11){
if(Array.isArray(data4)){
if(data4.length > 100){
validate15.errors = [{instancePath:instancePath+"/filters",schemaPath:"#/properties/filters/maxItems",keyword:"maxItems",params:{limit: 100}}];
return false;
}
else {
var valid2 = true;
const len0 = data4.length;
for(let i0=0; i0<len0; i0++){
const _errs13 = errors;
if(!(validate16(data4[i0], {instancePath:instancePath+"/filters/" + i0,parentData:data4,parentDataProperty:i0,rootData}))){
vErrors = vErrors === null ? validate16.errors : vErrors.concat(validate16.errors);
errors = vErrors.length;
}
var valid2 = _errs13 === errors;
if(!valid2){
break;
}
}
}
}
else {
validate15.errors = [{instancePath:instancePath+"/filters",schemaPath:"#/properties/filters/type",keyword:"type",params:{type: "array"}}];
return false;
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
else {
validate15.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate15.errors = vErrors;
return errors === 0;
}

export const validate_member_base_delete = validate30;
const schema24 = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};

function validate30(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.id === undefined) && (missing0 = "id")){
validate30.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "id")){
validate30.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
if(typeof data.id !== "string"){
validate30.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
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

export const validate_member_list = validate31;
const schema25 = {"type":"object","required":["member_base_id"],"properties":{"member_base_id":{"type":"string"},"pagination":{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":1000},"cursor":{"type":["string","null"],"maxLength":1024},"skip":{"type":"integer","minimum":0,"maximum":100000}},"additionalProperties":false},"filters":{"type":"array","maxItems":100,"items":{"$ref":"#/$defs/filter_1"}}},"additionalProperties":false,"$defs":{"filter_1":{"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["id","ref"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_2"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_2"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]},"filter_2":{"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["id","ref"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_3"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_3"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]},"filter_3":{"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["id","ref"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_4"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_4"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]},"filter_4":{"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["id","ref"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_5"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_5"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]},"filter_5":{"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["id","ref"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_6"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_6"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]},"filter_6":{"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\": combinators nest at most 5 deep","additionalProperties":false,"properties":{"key":{"type":"string","enum":["id","ref"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2}]}}};
const schema26 = {"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["id","ref"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_2"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_2"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]};
const schema27 = {"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["id","ref"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_3"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_3"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]};
const schema28 = {"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["id","ref"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_4"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_4"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]};
const schema29 = {"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["id","ref"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_5"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_5"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]};
const schema30 = {"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\", or {\"or\": […]}, or {\"and\": […]}","additionalProperties":false,"properties":{"key":{"type":"string","enum":["id","ref"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"or":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_6"}},"and":{"type":"array","minItems":1,"maxItems":100,"items":{"$ref":"#/$defs/filter_6"}}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2},{"required":["or"],"maxProperties":1},{"required":["and"],"maxProperties":1}]};
const schema31 = {"type":"object","$comment":"must be a \"key\" with one of \"eq\", \"in\" and \"nin\": combinators nest at most 5 deep","additionalProperties":false,"properties":{"key":{"type":"string","enum":["id","ref"]},"eq":{"type":"string","format":"storable"},"in":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000},"nin":{"type":"array","items":{"type":"string","format":"storable"},"minItems":1,"maxItems":1000}},"oneOf":[{"required":["key","eq"],"maxProperties":2},{"required":["key","in"],"maxProperties":2},{"required":["key","nin"],"maxProperties":2}]};

function validate36(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
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
validate36.errors = vErrors;
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
validate36.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs8 === errors){
if(data.key !== undefined){
let data0 = data.key;
const _errs9 = errors;
if(typeof data0 !== "string"){
validate36.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!((data0 === "id") || (data0 === "ref"))){
validate36.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/enum",keyword:"enum",params:{allowedValues: schema30.properties.key.enum}}];
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
validate36.errors = [{instancePath:instancePath+"/eq",schemaPath:"#/properties/eq/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate36.errors = [{instancePath:instancePath+"/eq",schemaPath:"#/properties/eq/type",keyword:"type",params:{type: "string"}}];
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
validate36.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data2.length < 1){
validate36.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/minItems",keyword:"minItems",params:{limit: 1}}];
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
validate36.errors = [{instancePath:instancePath+"/in/" + i0,schemaPath:"#/properties/in/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate36.errors = [{instancePath:instancePath+"/in/" + i0,schemaPath:"#/properties/in/items/type",keyword:"type",params:{type: "string"}}];
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
validate36.errors = [{instancePath:instancePath+"/in",schemaPath:"#/properties/in/type",keyword:"type",params:{type: "array"}}];
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
validate36.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data4.length < 1){
validate36.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/minItems",keyword:"minItems",params:{limit: 1}}];
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
validate36.errors = [{instancePath:instancePath+"/nin/" + i1,schemaPath:"#/properties/nin/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate36.errors = [{instancePath:instancePath+"/nin/" + i1,schemaPath:"#/properties/nin/items/type",keyword:"type",params:{type: "string"}}];
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
validate36.errors = [{instancePath:instancePath+"/nin",schemaPath:"#/properties/nin/type",keyword:"type",params:{type: "array"}}];
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
validate36.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/maxItems",keyword:"maxItems",params:{limit: 100}}];
return false;
}
else {
if(data6.length < 1){
validate36.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid4 = true;
const len2 = data6.length;
for(let i2=0; i2<len2; i2++){
let data7 = data6[i2];
const _errs23 = errors;
const _errs24 = errors;
const _errs27 = errors;
let valid6 = false;
let passing1 = null;
const _errs28 = errors;
if(data7 && typeof data7 == "object" && !Array.isArray(data7)){
if(Object.keys(data7).length > 2){
const err11 = {instancePath:instancePath+"/or/" + i2,schemaPath:"#/$defs/filter_6/oneOf/0/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err11];
}
else {
vErrors.push(err11);
}
errors++;
}
else {
let missing5;
if(((data7.key === undefined) && (missing5 = "key")) || ((data7.eq === undefined) && (missing5 = "eq"))){
const err12 = {instancePath:instancePath+"/or/" + i2,schemaPath:"#/$defs/filter_6/oneOf/0/required",keyword:"required",params:{missingProperty: missing5}};
if(vErrors === null){
vErrors = [err12];
}
else {
vErrors.push(err12);
}
errors++;
}
}
}
var _valid1 = _errs28 === errors;
if(_valid1){
valid6 = true;
passing1 = 0;
}
const _errs29 = errors;
if(data7 && typeof data7 == "object" && !Array.isArray(data7)){
if(Object.keys(data7).length > 2){
const err13 = {instancePath:instancePath+"/or/" + i2,schemaPath:"#/$defs/filter_6/oneOf/1/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err13];
}
else {
vErrors.push(err13);
}
errors++;
}
else {
let missing6;
if(((data7.key === undefined) && (missing6 = "key")) || ((data7.in === undefined) && (missing6 = "in"))){
const err14 = {instancePath:instancePath+"/or/" + i2,schemaPath:"#/$defs/filter_6/oneOf/1/required",keyword:"required",params:{missingProperty: missing6}};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
}
}
var _valid1 = _errs29 === errors;
if(_valid1 && valid6){
valid6 = false;
passing1 = [passing1, 1];
}
else {
if(_valid1){
valid6 = true;
passing1 = 1;
}
const _errs30 = errors;
if(data7 && typeof data7 == "object" && !Array.isArray(data7)){
if(Object.keys(data7).length > 2){
const err15 = {instancePath:instancePath+"/or/" + i2,schemaPath:"#/$defs/filter_6/oneOf/2/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
else {
let missing7;
if(((data7.key === undefined) && (missing7 = "key")) || ((data7.nin === undefined) && (missing7 = "nin"))){
const err16 = {instancePath:instancePath+"/or/" + i2,schemaPath:"#/$defs/filter_6/oneOf/2/required",keyword:"required",params:{missingProperty: missing7}};
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
var _valid1 = _errs30 === errors;
if(_valid1 && valid6){
valid6 = false;
passing1 = [passing1, 2];
}
else {
if(_valid1){
valid6 = true;
passing1 = 2;
}
}
}
if(!valid6){
const err17 = {instancePath:instancePath+"/or/" + i2,schemaPath:"#/$defs/filter_6/oneOf",keyword:"oneOf",params:{passingSchemas: passing1, comment: "must be a \"key\" with one of \"eq\", \"in\" and \"nin\": combinators nest at most 5 deep"}};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
validate36.errors = vErrors;
return false;
}
else {
errors = _errs27;
if(vErrors !== null){
if(_errs27){
vErrors.length = _errs27;
}
else {
vErrors = null;
}
}
}
if(errors === _errs24){
if(data7 && typeof data7 == "object" && !Array.isArray(data7)){
const _errs31 = errors;
for(const key1 in data7){
if(!((((key1 === "key") || (key1 === "eq")) || (key1 === "in")) || (key1 === "nin"))){
validate36.errors = [{instancePath:instancePath+"/or/" + i2,schemaPath:"#/$defs/filter_6/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
return false;
break;
}
}
if(_errs31 === errors){
if(data7.key !== undefined){
let data8 = data7.key;
const _errs32 = errors;
if(typeof data8 !== "string"){
validate36.errors = [{instancePath:instancePath+"/or/" + i2+"/key",schemaPath:"#/$defs/filter_6/properties/key/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!((data8 === "id") || (data8 === "ref"))){
validate36.errors = [{instancePath:instancePath+"/or/" + i2+"/key",schemaPath:"#/$defs/filter_6/properties/key/enum",keyword:"enum",params:{allowedValues: schema31.properties.key.enum}}];
return false;
}
var valid7 = _errs32 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data7.eq !== undefined){
let data9 = data7.eq;
const _errs34 = errors;
if(errors === _errs34){
if(errors === _errs34){
if(typeof data9 === "string"){
if(!(formats0(data9))){
validate36.errors = [{instancePath:instancePath+"/or/" + i2+"/eq",schemaPath:"#/$defs/filter_6/properties/eq/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate36.errors = [{instancePath:instancePath+"/or/" + i2+"/eq",schemaPath:"#/$defs/filter_6/properties/eq/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid7 = _errs34 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data7.in !== undefined){
let data10 = data7.in;
const _errs36 = errors;
if(errors === _errs36){
if(Array.isArray(data10)){
if(data10.length > 1000){
validate36.errors = [{instancePath:instancePath+"/or/" + i2+"/in",schemaPath:"#/$defs/filter_6/properties/in/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data10.length < 1){
validate36.errors = [{instancePath:instancePath+"/or/" + i2+"/in",schemaPath:"#/$defs/filter_6/properties/in/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid8 = true;
const len3 = data10.length;
for(let i3=0; i3<len3; i3++){
let data11 = data10[i3];
const _errs38 = errors;
if(errors === _errs38){
if(errors === _errs38){
if(typeof data11 === "string"){
if(!(formats0(data11))){
validate36.errors = [{instancePath:instancePath+"/or/" + i2+"/in/" + i3,schemaPath:"#/$defs/filter_6/properties/in/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate36.errors = [{instancePath:instancePath+"/or/" + i2+"/in/" + i3,schemaPath:"#/$defs/filter_6/properties/in/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid8 = _errs38 === errors;
if(!valid8){
break;
}
}
}
}
}
else {
validate36.errors = [{instancePath:instancePath+"/or/" + i2+"/in",schemaPath:"#/$defs/filter_6/properties/in/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid7 = _errs36 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data7.nin !== undefined){
let data12 = data7.nin;
const _errs40 = errors;
if(errors === _errs40){
if(Array.isArray(data12)){
if(data12.length > 1000){
validate36.errors = [{instancePath:instancePath+"/or/" + i2+"/nin",schemaPath:"#/$defs/filter_6/properties/nin/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data12.length < 1){
validate36.errors = [{instancePath:instancePath+"/or/" + i2+"/nin",schemaPath:"#/$defs/filter_6/properties/nin/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid9 = true;
const len4 = data12.length;
for(let i4=0; i4<len4; i4++){
let data13 = data12[i4];
const _errs42 = errors;
if(errors === _errs42){
if(errors === _errs42){
if(typeof data13 === "string"){
if(!(formats0(data13))){
validate36.errors = [{instancePath:instancePath+"/or/" + i2+"/nin/" + i4,schemaPath:"#/$defs/filter_6/properties/nin/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate36.errors = [{instancePath:instancePath+"/or/" + i2+"/nin/" + i4,schemaPath:"#/$defs/filter_6/properties/nin/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid9 = _errs42 === errors;
if(!valid9){
break;
}
}
}
}
}
else {
validate36.errors = [{instancePath:instancePath+"/or/" + i2+"/nin",schemaPath:"#/$defs/filter_6/properties/nin/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid7 = _errs40 === errors;
}
else {
var valid7 = true;
}
}
}
}
}
}
else {
validate36.errors = [{instancePath:instancePath+"/or/" + i2,schemaPath:"#/$defs/filter_6/type",keyword:"type",params:{type: "object"}}];
return false;
}
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
validate36.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/type",keyword:"type",params:{type: "array"}}];
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
let data14 = data.and;
const _errs44 = errors;
if(errors === _errs44){
if(Array.isArray(data14)){
if(data14.length > 100){
validate36.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/maxItems",keyword:"maxItems",params:{limit: 100}}];
return false;
}
else {
if(data14.length < 1){
validate36.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid10 = true;
const len5 = data14.length;
for(let i5=0; i5<len5; i5++){
let data15 = data14[i5];
const _errs46 = errors;
const _errs47 = errors;
const _errs50 = errors;
let valid12 = false;
let passing2 = null;
const _errs51 = errors;
if(data15 && typeof data15 == "object" && !Array.isArray(data15)){
if(Object.keys(data15).length > 2){
const err18 = {instancePath:instancePath+"/and/" + i5,schemaPath:"#/$defs/filter_6/oneOf/0/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
else {
let missing8;
if(((data15.key === undefined) && (missing8 = "key")) || ((data15.eq === undefined) && (missing8 = "eq"))){
const err19 = {instancePath:instancePath+"/and/" + i5,schemaPath:"#/$defs/filter_6/oneOf/0/required",keyword:"required",params:{missingProperty: missing8}};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
}
}
var _valid2 = _errs51 === errors;
if(_valid2){
valid12 = true;
passing2 = 0;
}
const _errs52 = errors;
if(data15 && typeof data15 == "object" && !Array.isArray(data15)){
if(Object.keys(data15).length > 2){
const err20 = {instancePath:instancePath+"/and/" + i5,schemaPath:"#/$defs/filter_6/oneOf/1/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
else {
let missing9;
if(((data15.key === undefined) && (missing9 = "key")) || ((data15.in === undefined) && (missing9 = "in"))){
const err21 = {instancePath:instancePath+"/and/" + i5,schemaPath:"#/$defs/filter_6/oneOf/1/required",keyword:"required",params:{missingProperty: missing9}};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
}
}
var _valid2 = _errs52 === errors;
if(_valid2 && valid12){
valid12 = false;
passing2 = [passing2, 1];
}
else {
if(_valid2){
valid12 = true;
passing2 = 1;
}
const _errs53 = errors;
if(data15 && typeof data15 == "object" && !Array.isArray(data15)){
if(Object.keys(data15).length > 2){
const err22 = {instancePath:instancePath+"/and/" + i5,schemaPath:"#/$defs/filter_6/oneOf/2/maxProperties",keyword:"maxProperties",params:{limit: 2}};
if(vErrors === null){
vErrors = [err22];
}
else {
vErrors.push(err22);
}
errors++;
}
else {
let missing10;
if(((data15.key === undefined) && (missing10 = "key")) || ((data15.nin === undefined) && (missing10 = "nin"))){
const err23 = {instancePath:instancePath+"/and/" + i5,schemaPath:"#/$defs/filter_6/oneOf/2/required",keyword:"required",params:{missingProperty: missing10}};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
}
}
}
var _valid2 = _errs53 === errors;
if(_valid2 && valid12){
valid12 = false;
passing2 = [passing2, 2];
}
else {
if(_valid2){
valid12 = true;
passing2 = 2;
}
}
}
if(!valid12){
const err24 = {instancePath:instancePath+"/and/" + i5,schemaPath:"#/$defs/filter_6/oneOf",keyword:"oneOf",params:{passingSchemas: passing2, comment: "must be a \"key\" with one of \"eq\", \"in\" and \"nin\": combinators nest at most 5 deep"}};
if(vErrors === null){
vErrors = [err24];
}
else {
vErrors.push(err24);
}
errors++;
validate36.errors = vErrors;
return false;
}
else {
errors = _errs50;
if(vErrors !== null){
if(_errs50){
vErrors.length = _errs50;
}
else {
vErrors = null;
}
}
}
if(errors === _errs47){
if(data15 && typeof data15 == "object" && !Array.isArray(data15)){
const _errs54 = errors;
for(const key2 in data15){
if(!((((key2 === "key") || (key2 === "eq")) || (key2 === "in")) || (key2 === "nin"))){
validate36.errors = [{instancePath:instancePath+"/and/" + i5,schemaPath:"#/$defs/filter_6/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2}}];
return false;
break;
}
}
if(_errs54 === errors){
if(data15.key !== undefined){
let data16 = data15.key;
const _errs55 = errors;
if(typeof data16 !== "string"){
validate36.errors = [{instancePath:instancePath+"/and/" + i5+"/key",schemaPath:"#/$defs/filter_6/properties/key/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!((data16 === "id") || (data16 === "ref"))){
validate36.errors = [{instancePath:instancePath+"/and/" + i5+"/key",schemaPath:"#/$defs/filter_6/properties/key/enum",keyword:"enum",params:{allowedValues: schema31.properties.key.enum}}];
return false;
}
var valid13 = _errs55 === errors;
}
else {
var valid13 = true;
}
if(valid13){
if(data15.eq !== undefined){
let data17 = data15.eq;
const _errs57 = errors;
if(errors === _errs57){
if(errors === _errs57){
if(typeof data17 === "string"){
if(!(formats0(data17))){
validate36.errors = [{instancePath:instancePath+"/and/" + i5+"/eq",schemaPath:"#/$defs/filter_6/properties/eq/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate36.errors = [{instancePath:instancePath+"/and/" + i5+"/eq",schemaPath:"#/$defs/filter_6/properties/eq/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid13 = _errs57 === errors;
}
else {
var valid13 = true;
}
if(valid13){
if(data15.in !== undefined){
let data18 = data15.in;
const _errs59 = errors;
if(errors === _errs59){
if(Array.isArray(data18)){
if(data18.length > 1000){
validate36.errors = [{instancePath:instancePath+"/and/" + i5+"/in",schemaPath:"#/$defs/filter_6/properties/in/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data18.length < 1){
validate36.errors = [{instancePath:instancePath+"/and/" + i5+"/in",schemaPath:"#/$defs/filter_6/properties/in/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid14 = true;
const len6 = data18.length;
for(let i6=0; i6<len6; i6++){
let data19 = data18[i6];
const _errs61 = errors;
if(errors === _errs61){
if(errors === _errs61){
if(typeof data19 === "string"){
if(!(formats0(data19))){
validate36.errors = [{instancePath:instancePath+"/and/" + i5+"/in/" + i6,schemaPath:"#/$defs/filter_6/properties/in/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate36.errors = [{instancePath:instancePath+"/and/" + i5+"/in/" + i6,schemaPath:"#/$defs/filter_6/properties/in/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid14 = _errs61 === errors;
if(!valid14){
break;
}
}
}
}
}
else {
validate36.errors = [{instancePath:instancePath+"/and/" + i5+"/in",schemaPath:"#/$defs/filter_6/properties/in/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid13 = _errs59 === errors;
}
else {
var valid13 = true;
}
if(valid13){
if(data15.nin !== undefined){
let data20 = data15.nin;
const _errs63 = errors;
if(errors === _errs63){
if(Array.isArray(data20)){
if(data20.length > 1000){
validate36.errors = [{instancePath:instancePath+"/and/" + i5+"/nin",schemaPath:"#/$defs/filter_6/properties/nin/maxItems",keyword:"maxItems",params:{limit: 1000}}];
return false;
}
else {
if(data20.length < 1){
validate36.errors = [{instancePath:instancePath+"/and/" + i5+"/nin",schemaPath:"#/$defs/filter_6/properties/nin/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid15 = true;
const len7 = data20.length;
for(let i7=0; i7<len7; i7++){
let data21 = data20[i7];
const _errs65 = errors;
if(errors === _errs65){
if(errors === _errs65){
if(typeof data21 === "string"){
if(!(formats0(data21))){
validate36.errors = [{instancePath:instancePath+"/and/" + i5+"/nin/" + i7,schemaPath:"#/$defs/filter_6/properties/nin/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate36.errors = [{instancePath:instancePath+"/and/" + i5+"/nin/" + i7,schemaPath:"#/$defs/filter_6/properties/nin/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
var valid15 = _errs65 === errors;
if(!valid15){
break;
}
}
}
}
}
else {
validate36.errors = [{instancePath:instancePath+"/and/" + i5+"/nin",schemaPath:"#/$defs/filter_6/properties/nin/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid13 = _errs63 === errors;
}
else {
var valid13 = true;
}
}
}
}
}
}
else {
validate36.errors = [{instancePath:instancePath+"/and/" + i5,schemaPath:"#/$defs/filter_6/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid10 = _errs46 === errors;
if(!valid10){
break;
}
}
}
}
}
else {
validate36.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/type",keyword:"type",params:{type: "array"}}];
return false;
}
}
var valid1 = _errs44 === errors;
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
validate36.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate36.errors = vErrors;
return errors === 0;
}


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
const _errs8 = errors;
for(const key0 in data){
if(!((((((key0 === "key") || (key0 === "eq")) || (key0 === "in")) || (key0 === "nin")) || (key0 === "or")) || (key0 === "and"))){
validate35.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs8 === errors){
if(data.key !== undefined){
let data0 = data.key;
const _errs9 = errors;
if(typeof data0 !== "string"){
validate35.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!((data0 === "id") || (data0 === "ref"))){
validate35.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/enum",keyword:"enum",params:{allowedValues: schema29.properties.key.enum}}];
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
const _errs15 = errors;
if(errors === _errs15){
if(errors === _errs15){
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
var valid2 = _errs15 === errors;
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
const _errs19 = errors;
if(errors === _errs19){
if(errors === _errs19){
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
var valid3 = _errs19 === errors;
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
validate35.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/maxItems",keyword:"maxItems",params:{limit: 100}}];
return false;
}
else {
if(data6.length < 1){
validate35.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid4 = true;
const len2 = data6.length;
for(let i2=0; i2<len2; i2++){
const _errs23 = errors;
if(!(validate36(data6[i2], {instancePath:instancePath+"/or/" + i2,parentData:data6,parentDataProperty:i2,rootData}))){
vErrors = vErrors === null ? validate36.errors : vErrors.concat(validate36.errors);
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
validate35.errors = [{instancePath:instancePath+"/or",schemaPath:"#/properties/or/type",keyword:"type",params:{type: "array"}}];
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
validate35.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/maxItems",keyword:"maxItems",params:{limit: 100}}];
return false;
}
else {
if(data8.length < 1){
validate35.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid5 = true;
const len3 = data8.length;
for(let i3=0; i3<len3; i3++){
const _errs26 = errors;
if(!(validate36(data8[i3], {instancePath:instancePath+"/and/" + i3,parentData:data8,parentDataProperty:i3,rootData}))){
vErrors = vErrors === null ? validate36.errors : vErrors.concat(validate36.errors);
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
validate35.errors = [{instancePath:instancePath+"/and",schemaPath:"#/properties/and/type",keyword:"type",params:{type: "array"}}];
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
if(!((data0 === "id") || (data0 === "ref"))){
validate34.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/enum",keyword:"enum",params:{allowedValues: schema28.properties.key.enum}}];
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
if(!((data0 === "id") || (data0 === "ref"))){
validate33.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/enum",keyword:"enum",params:{allowedValues: schema27.properties.key.enum}}];
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
if(!((data0 === "id") || (data0 === "ref"))){
validate32.errors = [{instancePath:instancePath+"/key",schemaPath:"#/properties/key/enum",keyword:"enum",params:{allowedValues: schema26.properties.key.enum}}];
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
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.member_base_id === undefined) && (missing0 = "member_base_id")){
validate31.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((key0 === "member_base_id") || (key0 === "pagination")) || (key0 === "filters"))){
validate31.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.member_base_id !== undefined){
const _errs2 = errors;
if(typeof data.member_base_id !== "string"){
validate31.errors = [{instancePath:instancePath+"/member_base_id",schemaPath:"#/properties/member_base_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.pagination !== undefined){
let data1 = data.pagination;
const _errs4 = errors;
if(errors === _errs4){
if(data1 && typeof data1 == "object" && !Array.isArray(data1)){
const _errs6 = errors;
for(const key1 in data1){
if(!(((key1 === "limit") || (key1 === "cursor")) || (key1 === "skip"))){
validate31.errors = [{instancePath:instancePath+"/pagination",schemaPath:"#/properties/pagination/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
return false;
break;
}
}
if(_errs6 === errors){
if(data1.limit !== undefined){
let data2 = data1.limit;
const _errs7 = errors;
if(!(((typeof data2 == "number") && (!(data2 % 1) && !isNaN(data2))) && (isFinite(data2)))){
validate31.errors = [{instancePath:instancePath+"/pagination/limit",schemaPath:"#/properties/pagination/properties/limit/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs7){
if((typeof data2 == "number") && (isFinite(data2))){
if(data2 > 1000 || isNaN(data2)){
validate31.errors = [{instancePath:instancePath+"/pagination/limit",schemaPath:"#/properties/pagination/properties/limit/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1000}}];
return false;
}
else {
if(data2 < 1 || isNaN(data2)){
validate31.errors = [{instancePath:instancePath+"/pagination/limit",schemaPath:"#/properties/pagination/properties/limit/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1}}];
return false;
}
}
}
}
var valid1 = _errs7 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.cursor !== undefined){
let data3 = data1.cursor;
const _errs9 = errors;
if((typeof data3 !== "string") && (data3 !== null)){
validate31.errors = [{instancePath:instancePath+"/pagination/cursor",schemaPath:"#/properties/pagination/properties/cursor/type",keyword:"type",params:{type: schema25.properties.pagination.properties.cursor.type}}];
return false;
}
if(errors === _errs9){
if(typeof data3 === "string"){
if(func2(data3) > 1024){
validate31.errors = [{instancePath:instancePath+"/pagination/cursor",schemaPath:"#/properties/pagination/properties/cursor/maxLength",keyword:"maxLength",params:{limit: 1024}}];
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
if(data1.skip !== undefined){
let data4 = data1.skip;
const _errs11 = errors;
if(!(((typeof data4 == "number") && (!(data4 % 1) && !isNaN(data4))) && (isFinite(data4)))){
validate31.errors = [{instancePath:instancePath+"/pagination/skip",schemaPath:"#/properties/pagination/properties/skip/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs11){
if((typeof data4 == "number") && (isFinite(data4))){
if(data4 > 100000 || isNaN(data4)){
validate31.errors = [{instancePath:instancePath+"/pagination/skip",schemaPath:"#/properties/pagination/properties/skip/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100000}}];
return false;
}
else {
if(data4 < 0 || isNaN(data4)){
validate31.errors = [{instancePath:instancePath+"/pagination/skip",schemaPath:"#/properties/pagination/properties/skip/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}}];
return false;
}
}
}
}
var valid1 = _errs11 === errors;
}
else {
var valid1 = true;
}
}
}
}
}
else {
validate31.errors = [{instancePath:instancePath+"/pagination",schemaPath:"#/properties/pagination/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.filters !== undefined){
let data5 = data.filters;
const _errs13 = errors;
if(errors === _errs13){
if(Array.isArray(data5)){
if(data5.length > 100){
validate31.errors = [{instancePath:instancePath+"/filters",schemaPath:"#/properties/filters/maxItems",keyword:"maxItems",params:{limit: 100}}];
return false;
}
else {
var valid2 = true;
const len0 = data5.length;
for(let i0=0; i0<len0; i0++){
const _errs15 = errors;
if(!(validate32(data5[i0], {instancePath:instancePath+"/filters/" + i0,parentData:data5,parentDataProperty:i0,rootData}))){
vErrors = vErrors === null ? validate32.errors : vErrors.concat(validate32.errors);
errors = vErrors.length;
}
var valid2 = _errs15 === errors;
if(!valid2){
break;
}
}
}
}
else {
validate31.errors = [{instancePath:instancePath+"/filters",schemaPath:"#/properties/filters/type",keyword:"type",params:{type: "array"}}];
return false;
}
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
else {
validate31.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate31.errors = vErrors;
return errors === 0;
}

export const validate_member_bulk_delete = validate46;
const schema33 = {"type":"object","required":["member_base_id"],"properties":{"member_base_id":{"type":"string"},"member_ids":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":5000},"refs":{"type":"array","items":{"type":"string","minLength":1,"maxLength":256,"format":"printable"},"minItems":1,"maxItems":5000}},"additionalProperties":false,"$comment":"must have either member_ids or refs","oneOf":[{"required":["member_ids"]},{"required":["refs"]}]};

function validate46(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
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
validate46.errors = vErrors;
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
validate46.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing2}}];
return false;
}
else {
const _errs5 = errors;
for(const key0 in data){
if(!(((key0 === "member_base_id") || (key0 === "member_ids")) || (key0 === "refs"))){
validate46.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs5 === errors){
if(data.member_base_id !== undefined){
const _errs6 = errors;
if(typeof data.member_base_id !== "string"){
validate46.errors = [{instancePath:instancePath+"/member_base_id",schemaPath:"#/properties/member_base_id/type",keyword:"type",params:{type: "string"}}];
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
validate46.errors = [{instancePath:instancePath+"/member_ids",schemaPath:"#/properties/member_ids/maxItems",keyword:"maxItems",params:{limit: 5000}}];
return false;
}
else {
if(data1.length < 1){
validate46.errors = [{instancePath:instancePath+"/member_ids",schemaPath:"#/properties/member_ids/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid2 = true;
const len0 = data1.length;
for(let i0=0; i0<len0; i0++){
const _errs10 = errors;
if(typeof data1[i0] !== "string"){
validate46.errors = [{instancePath:instancePath+"/member_ids/" + i0,schemaPath:"#/properties/member_ids/items/type",keyword:"type",params:{type: "string"}}];
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
validate46.errors = [{instancePath:instancePath+"/member_ids",schemaPath:"#/properties/member_ids/type",keyword:"type",params:{type: "array"}}];
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
validate46.errors = [{instancePath:instancePath+"/refs",schemaPath:"#/properties/refs/maxItems",keyword:"maxItems",params:{limit: 5000}}];
return false;
}
else {
if(data3.length < 1){
validate46.errors = [{instancePath:instancePath+"/refs",schemaPath:"#/properties/refs/minItems",keyword:"minItems",params:{limit: 1}}];
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
validate46.errors = [{instancePath:instancePath+"/refs/" + i1,schemaPath:"#/properties/refs/items/maxLength",keyword:"maxLength",params:{limit: 256}}];
return false;
}
else {
if(func2(data4) < 1){
validate46.errors = [{instancePath:instancePath+"/refs/" + i1,schemaPath:"#/properties/refs/items/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats4(data4))){
validate46.errors = [{instancePath:instancePath+"/refs/" + i1,schemaPath:"#/properties/refs/items/format",keyword:"format",params:{format: "printable"}}];
return false;
}
}
}
}
else {
validate46.errors = [{instancePath:instancePath+"/refs/" + i1,schemaPath:"#/properties/refs/items/type",keyword:"type",params:{type: "string"}}];
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
validate46.errors = [{instancePath:instancePath+"/refs",schemaPath:"#/properties/refs/type",keyword:"type",params:{type: "array"}}];
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
validate46.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate46.errors = vErrors;
return errors === 0;
}

export const validate_member_bulk_upsert = validate47;
const schema34 = {"type":"object","required":["member_base_id","members"],"properties":{"member_base_id":{"type":"string"},"members":{"type":"array","items":{"type":"object","required":["ref"],"properties":{"ref":{"type":"string","minLength":1,"maxLength":256,"format":"printable"},"attributes":{"type":"object","maxProperties":64,"propertyNames":{"type":"string","minLength":1,"maxLength":256,"format":"printable"},"additionalProperties":{"type":["string","number","boolean","null","array"],"format":"storable","items":{"type":"string","format":"storable"}}}},"additionalProperties":false},"minItems":1,"maxItems":5000}},"additionalProperties":false};

function validate47(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.member_base_id === undefined) && (missing0 = "member_base_id")) || ((data.members === undefined) && (missing0 = "members"))){
validate47.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "member_base_id") || (key0 === "members"))){
validate47.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.member_base_id !== undefined){
const _errs2 = errors;
if(typeof data.member_base_id !== "string"){
validate47.errors = [{instancePath:instancePath+"/member_base_id",schemaPath:"#/properties/member_base_id/type",keyword:"type",params:{type: "string"}}];
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
validate47.errors = [{instancePath:instancePath+"/members",schemaPath:"#/properties/members/maxItems",keyword:"maxItems",params:{limit: 5000}}];
return false;
}
else {
if(data1.length < 1){
validate47.errors = [{instancePath:instancePath+"/members",schemaPath:"#/properties/members/minItems",keyword:"minItems",params:{limit: 1}}];
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
validate47.errors = [{instancePath:instancePath+"/members/" + i0,schemaPath:"#/properties/members/items/required",keyword:"required",params:{missingProperty: missing1}}];
return false;
}
else {
const _errs8 = errors;
for(const key1 in data2){
if(!((key1 === "ref") || (key1 === "attributes"))){
validate47.errors = [{instancePath:instancePath+"/members/" + i0,schemaPath:"#/properties/members/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
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
validate47.errors = [{instancePath:instancePath+"/members/" + i0+"/ref",schemaPath:"#/properties/members/items/properties/ref/maxLength",keyword:"maxLength",params:{limit: 256}}];
return false;
}
else {
if(func2(data3) < 1){
validate47.errors = [{instancePath:instancePath+"/members/" + i0+"/ref",schemaPath:"#/properties/members/items/properties/ref/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats4(data3))){
validate47.errors = [{instancePath:instancePath+"/members/" + i0+"/ref",schemaPath:"#/properties/members/items/properties/ref/format",keyword:"format",params:{format: "printable"}}];
return false;
}
}
}
}
else {
validate47.errors = [{instancePath:instancePath+"/members/" + i0+"/ref",schemaPath:"#/properties/members/items/properties/ref/type",keyword:"type",params:{type: "string"}}];
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
validate47.errors = [{instancePath:instancePath+"/members/" + i0+"/attributes",schemaPath:"#/properties/members/items/properties/attributes/maxProperties",keyword:"maxProperties",params:{limit: 64}}];
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
validate47.errors = vErrors;
return false;
break;
}
}
if(valid3){
for(const key3 in data4){
let data5 = data4[key3];
const _errs16 = errors;
if(((((typeof data5 !== "string") && (!((typeof data5 == "number") && (isFinite(data5))))) && (typeof data5 !== "boolean")) && (data5 !== null)) && (!(Array.isArray(data5)))){
validate47.errors = [{instancePath:instancePath+"/members/" + i0+"/attributes/" + key3.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/members/items/properties/attributes/additionalProperties/type",keyword:"type",params:{type: schema34.properties.members.items.properties.attributes.additionalProperties.type}}];
return false;
}
if(errors === _errs16){
if(errors === _errs16){
if(typeof data5 === "string"){
if(!(formats0(data5))){
validate47.errors = [{instancePath:instancePath+"/members/" + i0+"/attributes/" + key3.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/members/items/properties/attributes/additionalProperties/format",keyword:"format",params:{format: "storable"}}];
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
validate47.errors = [{instancePath:instancePath+"/members/" + i0+"/attributes/" + key3.replace(/~/g, "~0").replace(/\//g, "~1")+"/" + i1,schemaPath:"#/properties/members/items/properties/attributes/additionalProperties/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate47.errors = [{instancePath:instancePath+"/members/" + i0+"/attributes/" + key3.replace(/~/g, "~0").replace(/\//g, "~1")+"/" + i1,schemaPath:"#/properties/members/items/properties/attributes/additionalProperties/items/type",keyword:"type",params:{type: "string"}}];
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
validate47.errors = [{instancePath:instancePath+"/members/" + i0+"/attributes",schemaPath:"#/properties/members/items/properties/attributes/type",keyword:"type",params:{type: "object"}}];
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
validate47.errors = [{instancePath:instancePath+"/members/" + i0,schemaPath:"#/properties/members/items/type",keyword:"type",params:{type: "object"}}];
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
validate47.errors = [{instancePath:instancePath+"/members",schemaPath:"#/properties/members/type",keyword:"type",params:{type: "array"}}];
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
validate47.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate47.errors = vErrors;
return errors === 0;
}

export const validate_member_get = validate48;
const schema35 = {"type":"object","additionalProperties":false,"properties":{"id":{"type":"string"},"member_base_id":{"type":"string"},"ref":{"type":"string","minLength":1,"maxLength":256,"format":"printable"}},"$comment":"must have either id, or member_base_id and ref","oneOf":[{"required":["id"],"maxProperties":1},{"required":["member_base_id","ref"],"maxProperties":2}]};

function validate48(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
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
validate48.errors = vErrors;
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
validate48.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs5 === errors){
if(data.id !== undefined){
const _errs6 = errors;
if(typeof data.id !== "string"){
validate48.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
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
validate48.errors = [{instancePath:instancePath+"/member_base_id",schemaPath:"#/properties/member_base_id/type",keyword:"type",params:{type: "string"}}];
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
validate48.errors = [{instancePath:instancePath+"/ref",schemaPath:"#/properties/ref/maxLength",keyword:"maxLength",params:{limit: 256}}];
return false;
}
else {
if(func2(data2) < 1){
validate48.errors = [{instancePath:instancePath+"/ref",schemaPath:"#/properties/ref/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats4(data2))){
validate48.errors = [{instancePath:instancePath+"/ref",schemaPath:"#/properties/ref/format",keyword:"format",params:{format: "printable"}}];
return false;
}
}
}
}
else {
validate48.errors = [{instancePath:instancePath+"/ref",schemaPath:"#/properties/ref/type",keyword:"type",params:{type: "string"}}];
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
validate48.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate48.errors = vErrors;
return errors === 0;
}

export const validate_transaction_batch_get = validate49;
const schema36 = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};

function validate49(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.id === undefined) && (missing0 = "id")){
validate49.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "id")){
validate49.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
if(typeof data.id !== "string"){
validate49.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
}
}
else {
validate49.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate49.errors = vErrors;
return errors === 0;
}

export const validate_transaction_list = validate50;
const schema37 = {"type":"object","required":["member_id"],"properties":{"member_id":{"type":"string"},"pagination":{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":1000},"cursor":{"type":["string","null"],"maxLength":1024},"skip":{"type":"integer","minimum":0,"maximum":100000}},"additionalProperties":false}},"additionalProperties":false};

function validate50(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.member_id === undefined) && (missing0 = "member_id")){
validate50.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "member_id") || (key0 === "pagination"))){
validate50.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.member_id !== undefined){
const _errs2 = errors;
if(typeof data.member_id !== "string"){
validate50.errors = [{instancePath:instancePath+"/member_id",schemaPath:"#/properties/member_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.pagination !== undefined){
let data1 = data.pagination;
const _errs4 = errors;
if(errors === _errs4){
if(data1 && typeof data1 == "object" && !Array.isArray(data1)){
const _errs6 = errors;
for(const key1 in data1){
if(!(((key1 === "limit") || (key1 === "cursor")) || (key1 === "skip"))){
validate50.errors = [{instancePath:instancePath+"/pagination",schemaPath:"#/properties/pagination/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
return false;
break;
}
}
if(_errs6 === errors){
if(data1.limit !== undefined){
let data2 = data1.limit;
const _errs7 = errors;
if(!(((typeof data2 == "number") && (!(data2 % 1) && !isNaN(data2))) && (isFinite(data2)))){
validate50.errors = [{instancePath:instancePath+"/pagination/limit",schemaPath:"#/properties/pagination/properties/limit/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs7){
if((typeof data2 == "number") && (isFinite(data2))){
if(data2 > 1000 || isNaN(data2)){
validate50.errors = [{instancePath:instancePath+"/pagination/limit",schemaPath:"#/properties/pagination/properties/limit/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1000}}];
return false;
}
else {
if(data2 < 1 || isNaN(data2)){
validate50.errors = [{instancePath:instancePath+"/pagination/limit",schemaPath:"#/properties/pagination/properties/limit/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1}}];
return false;
}
}
}
}
var valid1 = _errs7 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.cursor !== undefined){
let data3 = data1.cursor;
const _errs9 = errors;
if((typeof data3 !== "string") && (data3 !== null)){
validate50.errors = [{instancePath:instancePath+"/pagination/cursor",schemaPath:"#/properties/pagination/properties/cursor/type",keyword:"type",params:{type: schema37.properties.pagination.properties.cursor.type}}];
return false;
}
if(errors === _errs9){
if(typeof data3 === "string"){
if(func2(data3) > 1024){
validate50.errors = [{instancePath:instancePath+"/pagination/cursor",schemaPath:"#/properties/pagination/properties/cursor/maxLength",keyword:"maxLength",params:{limit: 1024}}];
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
if(data1.skip !== undefined){
let data4 = data1.skip;
const _errs11 = errors;
if(!(((typeof data4 == "number") && (!(data4 % 1) && !isNaN(data4))) && (isFinite(data4)))){
validate50.errors = [{instancePath:instancePath+"/pagination/skip",schemaPath:"#/properties/pagination/properties/skip/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs11){
if((typeof data4 == "number") && (isFinite(data4))){
if(data4 > 100000 || isNaN(data4)){
validate50.errors = [{instancePath:instancePath+"/pagination/skip",schemaPath:"#/properties/pagination/properties/skip/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100000}}];
return false;
}
else {
if(data4 < 0 || isNaN(data4)){
validate50.errors = [{instancePath:instancePath+"/pagination/skip",schemaPath:"#/properties/pagination/properties/skip/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}}];
return false;
}
}
}
}
var valid1 = _errs11 === errors;
}
else {
var valid1 = true;
}
}
}
}
}
else {
validate50.errors = [{instancePath:instancePath+"/pagination",schemaPath:"#/properties/pagination/type",keyword:"type",params:{type: "object"}}];
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
validate50.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate50.errors = vErrors;
return errors === 0;
}

export const validate_transaction_get = validate51;
const schema38 = {"type":"object","required":["external_id"],"properties":{"external_id":{"type":"string","minLength":1,"maxLength":128,"format":"printable"}},"additionalProperties":false};

function validate51(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.external_id === undefined) && (missing0 = "external_id")){
validate51.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "external_id")){
validate51.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
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
validate51.errors = [{instancePath:instancePath+"/external_id",schemaPath:"#/properties/external_id/maxLength",keyword:"maxLength",params:{limit: 128}}];
return false;
}
else {
if(func2(data0) < 1){
validate51.errors = [{instancePath:instancePath+"/external_id",schemaPath:"#/properties/external_id/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats4(data0))){
validate51.errors = [{instancePath:instancePath+"/external_id",schemaPath:"#/properties/external_id/format",keyword:"format",params:{format: "printable"}}];
return false;
}
}
}
}
else {
validate51.errors = [{instancePath:instancePath+"/external_id",schemaPath:"#/properties/external_id/type",keyword:"type",params:{type: "string"}}];
return false;
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

export const validate_transaction_ingest = validate52;
const schema39 = {"type":"object","required":["events"],"properties":{"events":{"type":"array","items":{"type":"object","required":["member_id","external_id","auth_code","network","bin","merchant_id","authed_at"],"properties":{"member_id":{"type":"string"},"external_id":{"type":"string","minLength":1,"maxLength":128,"format":"printable"},"auth_code":{"type":"string","minLength":1,"maxLength":32,"format":"card-free"},"network":{"enum":["visa","mastercard","amex","other"]},"bin":{"type":"string","pattern":"^[0-9]{6,8}$"},"merchant_id":{"type":"string","minLength":1,"maxLength":64,"format":"printable"},"statement_descriptor":{"type":"string","maxLength":128,"format":"card-free"},"amount":{"type":"integer","minimum":0,"maximum":9007199254740991},"currency":{"type":"string","format":"currency"},"authed_at":{"type":"string","format":"timestamp"},"cleared_at":{"type":"string","format":"timestamp"},"reverted_at":{"type":"string","format":"timestamp"}},"additionalProperties":false,"not":{"type":"object","required":["cleared_at","reverted_at"]}},"minItems":1,"maxItems":5000}},"additionalProperties":false};
const func19 = Object.prototype.hasOwnProperty;
const formats106 = FORMAT_TESTS["card-free"];
const formats112 = FORMAT_TESTS.currency;
const pattern0 = new RegExp("^[0-9]{6,8}$", "u");

function validate52(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.events === undefined) && (missing0 = "events")){
validate52.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "events")){
validate52.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
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
validate52.errors = [{instancePath:instancePath+"/events",schemaPath:"#/properties/events/maxItems",keyword:"maxItems",params:{limit: 5000}}];
return false;
}
else {
if(data0.length < 1){
validate52.errors = [{instancePath:instancePath+"/events",schemaPath:"#/properties/events/minItems",keyword:"minItems",params:{limit: 1}}];
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
validate52.errors = [{instancePath:instancePath+"/events/" + i0,schemaPath:"#/properties/events/items/not",keyword:"not",params:{}}];
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
validate52.errors = [{instancePath:instancePath+"/events/" + i0,schemaPath:"#/properties/events/items/required",keyword:"required",params:{missingProperty: missing2}}];
return false;
}
else {
const _errs9 = errors;
for(const key1 in data1){
if(!(func19.call(schema39.properties.events.items.properties, key1))){
validate52.errors = [{instancePath:instancePath+"/events/" + i0,schemaPath:"#/properties/events/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
return false;
break;
}
}
if(_errs9 === errors){
if(data1.member_id !== undefined){
const _errs10 = errors;
if(typeof data1.member_id !== "string"){
validate52.errors = [{instancePath:instancePath+"/events/" + i0+"/member_id",schemaPath:"#/properties/events/items/properties/member_id/type",keyword:"type",params:{type: "string"}}];
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
validate52.errors = [{instancePath:instancePath+"/events/" + i0+"/external_id",schemaPath:"#/properties/events/items/properties/external_id/maxLength",keyword:"maxLength",params:{limit: 128}}];
return false;
}
else {
if(func2(data3) < 1){
validate52.errors = [{instancePath:instancePath+"/events/" + i0+"/external_id",schemaPath:"#/properties/events/items/properties/external_id/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats4(data3))){
validate52.errors = [{instancePath:instancePath+"/events/" + i0+"/external_id",schemaPath:"#/properties/events/items/properties/external_id/format",keyword:"format",params:{format: "printable"}}];
return false;
}
}
}
}
else {
validate52.errors = [{instancePath:instancePath+"/events/" + i0+"/external_id",schemaPath:"#/properties/events/items/properties/external_id/type",keyword:"type",params:{type: "string"}}];
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
validate52.errors = [{instancePath:instancePath+"/events/" + i0+"/auth_code",schemaPath:"#/properties/events/items/properties/auth_code/maxLength",keyword:"maxLength",params:{limit: 32}}];
return false;
}
else {
if(func2(data4) < 1){
validate52.errors = [{instancePath:instancePath+"/events/" + i0+"/auth_code",schemaPath:"#/properties/events/items/properties/auth_code/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats106(data4))){
validate52.errors = [{instancePath:instancePath+"/events/" + i0+"/auth_code",schemaPath:"#/properties/events/items/properties/auth_code/format",keyword:"format",params:{format: "card-free"}}];
return false;
}
}
}
}
else {
validate52.errors = [{instancePath:instancePath+"/events/" + i0+"/auth_code",schemaPath:"#/properties/events/items/properties/auth_code/type",keyword:"type",params:{type: "string"}}];
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
validate52.errors = [{instancePath:instancePath+"/events/" + i0+"/network",schemaPath:"#/properties/events/items/properties/network/enum",keyword:"enum",params:{allowedValues: schema39.properties.events.items.properties.network.enum}}];
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
validate52.errors = [{instancePath:instancePath+"/events/" + i0+"/bin",schemaPath:"#/properties/events/items/properties/bin/pattern",keyword:"pattern",params:{pattern: "^[0-9]{6,8}$"}}];
return false;
}
}
else {
validate52.errors = [{instancePath:instancePath+"/events/" + i0+"/bin",schemaPath:"#/properties/events/items/properties/bin/type",keyword:"type",params:{type: "string"}}];
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
validate52.errors = [{instancePath:instancePath+"/events/" + i0+"/merchant_id",schemaPath:"#/properties/events/items/properties/merchant_id/maxLength",keyword:"maxLength",params:{limit: 64}}];
return false;
}
else {
if(func2(data7) < 1){
validate52.errors = [{instancePath:instancePath+"/events/" + i0+"/merchant_id",schemaPath:"#/properties/events/items/properties/merchant_id/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats4(data7))){
validate52.errors = [{instancePath:instancePath+"/events/" + i0+"/merchant_id",schemaPath:"#/properties/events/items/properties/merchant_id/format",keyword:"format",params:{format: "printable"}}];
return false;
}
}
}
}
else {
validate52.errors = [{instancePath:instancePath+"/events/" + i0+"/merchant_id",schemaPath:"#/properties/events/items/properties/merchant_id/type",keyword:"type",params:{type: "string"}}];
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
validate52.errors = [{instancePath:instancePath+"/events/" + i0+"/statement_descriptor",schemaPath:"#/properties/events/items/properties/statement_descriptor/maxLength",keyword:"maxLength",params:{limit: 128}}];
return false;
}
else {
if(!(formats106(data8))){
validate52.errors = [{instancePath:instancePath+"/events/" + i0+"/statement_descriptor",schemaPath:"#/properties/events/items/properties/statement_descriptor/format",keyword:"format",params:{format: "card-free"}}];
return false;
}
}
}
else {
validate52.errors = [{instancePath:instancePath+"/events/" + i0+"/statement_descriptor",schemaPath:"#/properties/events/items/properties/statement_descriptor/type",keyword:"type",params:{type: "string"}}];
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
validate52.errors = [{instancePath:instancePath+"/events/" + i0+"/amount",schemaPath:"#/properties/events/items/properties/amount/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs23){
if((typeof data9 == "number") && (isFinite(data9))){
if(data9 > 9007199254740991 || isNaN(data9)){
validate52.errors = [{instancePath:instancePath+"/events/" + i0+"/amount",schemaPath:"#/properties/events/items/properties/amount/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991}}];
return false;
}
else {
if(data9 < 0 || isNaN(data9)){
validate52.errors = [{instancePath:instancePath+"/events/" + i0+"/amount",schemaPath:"#/properties/events/items/properties/amount/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}}];
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
if(!(formats112(data10))){
validate52.errors = [{instancePath:instancePath+"/events/" + i0+"/currency",schemaPath:"#/properties/events/items/properties/currency/format",keyword:"format",params:{format: "currency"}}];
return false;
}
}
else {
validate52.errors = [{instancePath:instancePath+"/events/" + i0+"/currency",schemaPath:"#/properties/events/items/properties/currency/type",keyword:"type",params:{type: "string"}}];
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
validate52.errors = [{instancePath:instancePath+"/events/" + i0+"/authed_at",schemaPath:"#/properties/events/items/properties/authed_at/format",keyword:"format",params:{format: "timestamp"}}];
return false;
}
}
else {
validate52.errors = [{instancePath:instancePath+"/events/" + i0+"/authed_at",schemaPath:"#/properties/events/items/properties/authed_at/type",keyword:"type",params:{type: "string"}}];
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
validate52.errors = [{instancePath:instancePath+"/events/" + i0+"/cleared_at",schemaPath:"#/properties/events/items/properties/cleared_at/format",keyword:"format",params:{format: "timestamp"}}];
return false;
}
}
else {
validate52.errors = [{instancePath:instancePath+"/events/" + i0+"/cleared_at",schemaPath:"#/properties/events/items/properties/cleared_at/type",keyword:"type",params:{type: "string"}}];
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
validate52.errors = [{instancePath:instancePath+"/events/" + i0+"/reverted_at",schemaPath:"#/properties/events/items/properties/reverted_at/format",keyword:"format",params:{format: "timestamp"}}];
return false;
}
}
else {
validate52.errors = [{instancePath:instancePath+"/events/" + i0+"/reverted_at",schemaPath:"#/properties/events/items/properties/reverted_at/type",keyword:"type",params:{type: "string"}}];
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
validate52.errors = [{instancePath:instancePath+"/events/" + i0,schemaPath:"#/properties/events/items/type",keyword:"type",params:{type: "object"}}];
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
validate52.errors = [{instancePath:instancePath+"/events",schemaPath:"#/properties/events/type",keyword:"type",params:{type: "array"}}];
return false;
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

export const validate_loyalty_program_list = validate53;
const schema40 = {"type":"object","properties":{"pagination":{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":1000},"cursor":{"type":["string","null"],"maxLength":1024},"skip":{"type":"integer","minimum":0,"maximum":100000}},"additionalProperties":false}},"additionalProperties":false};

function validate53(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "pagination")){
validate53.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.pagination !== undefined){
let data0 = data.pagination;
const _errs2 = errors;
if(errors === _errs2){
if(data0 && typeof data0 == "object" && !Array.isArray(data0)){
const _errs4 = errors;
for(const key1 in data0){
if(!(((key1 === "limit") || (key1 === "cursor")) || (key1 === "skip"))){
validate53.errors = [{instancePath:instancePath+"/pagination",schemaPath:"#/properties/pagination/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
return false;
break;
}
}
if(_errs4 === errors){
if(data0.limit !== undefined){
let data1 = data0.limit;
const _errs5 = errors;
if(!(((typeof data1 == "number") && (!(data1 % 1) && !isNaN(data1))) && (isFinite(data1)))){
validate53.errors = [{instancePath:instancePath+"/pagination/limit",schemaPath:"#/properties/pagination/properties/limit/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs5){
if((typeof data1 == "number") && (isFinite(data1))){
if(data1 > 1000 || isNaN(data1)){
validate53.errors = [{instancePath:instancePath+"/pagination/limit",schemaPath:"#/properties/pagination/properties/limit/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1000}}];
return false;
}
else {
if(data1 < 1 || isNaN(data1)){
validate53.errors = [{instancePath:instancePath+"/pagination/limit",schemaPath:"#/properties/pagination/properties/limit/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1}}];
return false;
}
}
}
}
var valid1 = _errs5 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data0.cursor !== undefined){
let data2 = data0.cursor;
const _errs7 = errors;
if((typeof data2 !== "string") && (data2 !== null)){
validate53.errors = [{instancePath:instancePath+"/pagination/cursor",schemaPath:"#/properties/pagination/properties/cursor/type",keyword:"type",params:{type: schema40.properties.pagination.properties.cursor.type}}];
return false;
}
if(errors === _errs7){
if(typeof data2 === "string"){
if(func2(data2) > 1024){
validate53.errors = [{instancePath:instancePath+"/pagination/cursor",schemaPath:"#/properties/pagination/properties/cursor/maxLength",keyword:"maxLength",params:{limit: 1024}}];
return false;
}
}
}
var valid1 = _errs7 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data0.skip !== undefined){
let data3 = data0.skip;
const _errs9 = errors;
if(!(((typeof data3 == "number") && (!(data3 % 1) && !isNaN(data3))) && (isFinite(data3)))){
validate53.errors = [{instancePath:instancePath+"/pagination/skip",schemaPath:"#/properties/pagination/properties/skip/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs9){
if((typeof data3 == "number") && (isFinite(data3))){
if(data3 > 100000 || isNaN(data3)){
validate53.errors = [{instancePath:instancePath+"/pagination/skip",schemaPath:"#/properties/pagination/properties/skip/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100000}}];
return false;
}
else {
if(data3 < 0 || isNaN(data3)){
validate53.errors = [{instancePath:instancePath+"/pagination/skip",schemaPath:"#/properties/pagination/properties/skip/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}}];
return false;
}
}
}
}
var valid1 = _errs9 === errors;
}
else {
var valid1 = true;
}
}
}
}
}
else {
validate53.errors = [{instancePath:instancePath+"/pagination",schemaPath:"#/properties/pagination/type",keyword:"type",params:{type: "object"}}];
return false;
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

export const validate_loyalty_program_get = validate54;
const schema41 = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};

function validate54(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.id === undefined) && (missing0 = "id")){
validate54.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "id")){
validate54.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
if(typeof data.id !== "string"){
validate54.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
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

export const validate_deal_list = validate55;
const schema42 = {"type":"object","properties":{"pagination":{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":1000},"cursor":{"type":["string","null"],"maxLength":1024},"skip":{"type":"integer","minimum":0,"maximum":100000}},"additionalProperties":false}},"additionalProperties":false};

function validate55(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "pagination")){
validate55.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.pagination !== undefined){
let data0 = data.pagination;
const _errs2 = errors;
if(errors === _errs2){
if(data0 && typeof data0 == "object" && !Array.isArray(data0)){
const _errs4 = errors;
for(const key1 in data0){
if(!(((key1 === "limit") || (key1 === "cursor")) || (key1 === "skip"))){
validate55.errors = [{instancePath:instancePath+"/pagination",schemaPath:"#/properties/pagination/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
return false;
break;
}
}
if(_errs4 === errors){
if(data0.limit !== undefined){
let data1 = data0.limit;
const _errs5 = errors;
if(!(((typeof data1 == "number") && (!(data1 % 1) && !isNaN(data1))) && (isFinite(data1)))){
validate55.errors = [{instancePath:instancePath+"/pagination/limit",schemaPath:"#/properties/pagination/properties/limit/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs5){
if((typeof data1 == "number") && (isFinite(data1))){
if(data1 > 1000 || isNaN(data1)){
validate55.errors = [{instancePath:instancePath+"/pagination/limit",schemaPath:"#/properties/pagination/properties/limit/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1000}}];
return false;
}
else {
if(data1 < 1 || isNaN(data1)){
validate55.errors = [{instancePath:instancePath+"/pagination/limit",schemaPath:"#/properties/pagination/properties/limit/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1}}];
return false;
}
}
}
}
var valid1 = _errs5 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data0.cursor !== undefined){
let data2 = data0.cursor;
const _errs7 = errors;
if((typeof data2 !== "string") && (data2 !== null)){
validate55.errors = [{instancePath:instancePath+"/pagination/cursor",schemaPath:"#/properties/pagination/properties/cursor/type",keyword:"type",params:{type: schema42.properties.pagination.properties.cursor.type}}];
return false;
}
if(errors === _errs7){
if(typeof data2 === "string"){
if(func2(data2) > 1024){
validate55.errors = [{instancePath:instancePath+"/pagination/cursor",schemaPath:"#/properties/pagination/properties/cursor/maxLength",keyword:"maxLength",params:{limit: 1024}}];
return false;
}
}
}
var valid1 = _errs7 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data0.skip !== undefined){
let data3 = data0.skip;
const _errs9 = errors;
if(!(((typeof data3 == "number") && (!(data3 % 1) && !isNaN(data3))) && (isFinite(data3)))){
validate55.errors = [{instancePath:instancePath+"/pagination/skip",schemaPath:"#/properties/pagination/properties/skip/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs9){
if((typeof data3 == "number") && (isFinite(data3))){
if(data3 > 100000 || isNaN(data3)){
validate55.errors = [{instancePath:instancePath+"/pagination/skip",schemaPath:"#/properties/pagination/properties/skip/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100000}}];
return false;
}
else {
if(data3 < 0 || isNaN(data3)){
validate55.errors = [{instancePath:instancePath+"/pagination/skip",schemaPath:"#/properties/pagination/properties/skip/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}}];
return false;
}
}
}
}
var valid1 = _errs9 === errors;
}
else {
var valid1 = true;
}
}
}
}
}
else {
validate55.errors = [{instancePath:instancePath+"/pagination",schemaPath:"#/properties/pagination/type",keyword:"type",params:{type: "object"}}];
return false;
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

export const validate_deal_get = validate56;
const schema43 = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};

function validate56(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.id === undefined) && (missing0 = "id")){
validate56.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "id")){
validate56.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
if(typeof data.id !== "string"){
validate56.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
}
}
else {
validate56.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate56.errors = vErrors;
return errors === 0;
}

export const validate_wallet_stamp_collection_create = validate57;
const schema44 = {"type":"object","required":["loyalty_program_id","member_id"],"properties":{"loyalty_program_id":{"type":"string"},"member_id":{"type":"string"}},"additionalProperties":false};

function validate57(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.loyalty_program_id === undefined) && (missing0 = "loyalty_program_id")) || ((data.member_id === undefined) && (missing0 = "member_id"))){
validate57.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "loyalty_program_id") || (key0 === "member_id"))){
validate57.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.loyalty_program_id !== undefined){
const _errs2 = errors;
if(typeof data.loyalty_program_id !== "string"){
validate57.errors = [{instancePath:instancePath+"/loyalty_program_id",schemaPath:"#/properties/loyalty_program_id/type",keyword:"type",params:{type: "string"}}];
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
validate57.errors = [{instancePath:instancePath+"/member_id",schemaPath:"#/properties/member_id/type",keyword:"type",params:{type: "string"}}];
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
validate57.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate57.errors = vErrors;
return errors === 0;
}

export const validate_wallet_stamp_collection_get = validate58;
const schema45 = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};

function validate58(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.id === undefined) && (missing0 = "id")){
validate58.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "id")){
validate58.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
if(typeof data.id !== "string"){
validate58.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
}
}
else {
validate58.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate58.errors = vErrors;
return errors === 0;
}

export const validate_wallet_stamp_collection_list = validate59;
const schema46 = {"type":"object","required":["member_id"],"properties":{"member_id":{"type":"string"},"pagination":{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":1000},"cursor":{"type":["string","null"],"maxLength":1024},"skip":{"type":"integer","minimum":0,"maximum":100000}},"additionalProperties":false}},"additionalProperties":false};

function validate59(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.member_id === undefined) && (missing0 = "member_id")){
validate59.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "member_id") || (key0 === "pagination"))){
validate59.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.member_id !== undefined){
const _errs2 = errors;
if(typeof data.member_id !== "string"){
validate59.errors = [{instancePath:instancePath+"/member_id",schemaPath:"#/properties/member_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.pagination !== undefined){
let data1 = data.pagination;
const _errs4 = errors;
if(errors === _errs4){
if(data1 && typeof data1 == "object" && !Array.isArray(data1)){
const _errs6 = errors;
for(const key1 in data1){
if(!(((key1 === "limit") || (key1 === "cursor")) || (key1 === "skip"))){
validate59.errors = [{instancePath:instancePath+"/pagination",schemaPath:"#/properties/pagination/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
return false;
break;
}
}
if(_errs6 === errors){
if(data1.limit !== undefined){
let data2 = data1.limit;
const _errs7 = errors;
if(!(((typeof data2 == "number") && (!(data2 % 1) && !isNaN(data2))) && (isFinite(data2)))){
validate59.errors = [{instancePath:instancePath+"/pagination/limit",schemaPath:"#/properties/pagination/properties/limit/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs7){
if((typeof data2 == "number") && (isFinite(data2))){
if(data2 > 1000 || isNaN(data2)){
validate59.errors = [{instancePath:instancePath+"/pagination/limit",schemaPath:"#/properties/pagination/properties/limit/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1000}}];
return false;
}
else {
if(data2 < 1 || isNaN(data2)){
validate59.errors = [{instancePath:instancePath+"/pagination/limit",schemaPath:"#/properties/pagination/properties/limit/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1}}];
return false;
}
}
}
}
var valid1 = _errs7 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.cursor !== undefined){
let data3 = data1.cursor;
const _errs9 = errors;
if((typeof data3 !== "string") && (data3 !== null)){
validate59.errors = [{instancePath:instancePath+"/pagination/cursor",schemaPath:"#/properties/pagination/properties/cursor/type",keyword:"type",params:{type: schema46.properties.pagination.properties.cursor.type}}];
return false;
}
if(errors === _errs9){
if(typeof data3 === "string"){
if(func2(data3) > 1024){
validate59.errors = [{instancePath:instancePath+"/pagination/cursor",schemaPath:"#/properties/pagination/properties/cursor/maxLength",keyword:"maxLength",params:{limit: 1024}}];
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
if(data1.skip !== undefined){
let data4 = data1.skip;
const _errs11 = errors;
if(!(((typeof data4 == "number") && (!(data4 % 1) && !isNaN(data4))) && (isFinite(data4)))){
validate59.errors = [{instancePath:instancePath+"/pagination/skip",schemaPath:"#/properties/pagination/properties/skip/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs11){
if((typeof data4 == "number") && (isFinite(data4))){
if(data4 > 100000 || isNaN(data4)){
validate59.errors = [{instancePath:instancePath+"/pagination/skip",schemaPath:"#/properties/pagination/properties/skip/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100000}}];
return false;
}
else {
if(data4 < 0 || isNaN(data4)){
validate59.errors = [{instancePath:instancePath+"/pagination/skip",schemaPath:"#/properties/pagination/properties/skip/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}}];
return false;
}
}
}
}
var valid1 = _errs11 === errors;
}
else {
var valid1 = true;
}
}
}
}
}
else {
validate59.errors = [{instancePath:instancePath+"/pagination",schemaPath:"#/properties/pagination/type",keyword:"type",params:{type: "object"}}];
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
validate59.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate59.errors = vErrors;
return errors === 0;
}

export const validate_wallet_clip_save = validate60;
const schema47 = {"type":"object","required":["deal_id","member_id"],"properties":{"deal_id":{"type":"string"},"member_id":{"type":"string"}},"additionalProperties":false};

function validate60(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.deal_id === undefined) && (missing0 = "deal_id")) || ((data.member_id === undefined) && (missing0 = "member_id"))){
validate60.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "deal_id") || (key0 === "member_id"))){
validate60.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.deal_id !== undefined){
const _errs2 = errors;
if(typeof data.deal_id !== "string"){
validate60.errors = [{instancePath:instancePath+"/deal_id",schemaPath:"#/properties/deal_id/type",keyword:"type",params:{type: "string"}}];
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
validate60.errors = [{instancePath:instancePath+"/member_id",schemaPath:"#/properties/member_id/type",keyword:"type",params:{type: "string"}}];
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
validate60.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate60.errors = vErrors;
return errors === 0;
}

export const validate_wallet_clip_list = validate61;
const schema48 = {"type":"object","required":["member_id"],"properties":{"member_id":{"type":"string"},"pagination":{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":1000},"cursor":{"type":["string","null"],"maxLength":1024},"skip":{"type":"integer","minimum":0,"maximum":100000}},"additionalProperties":false}},"additionalProperties":false};

function validate61(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.member_id === undefined) && (missing0 = "member_id")){
validate61.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "member_id") || (key0 === "pagination"))){
validate61.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.member_id !== undefined){
const _errs2 = errors;
if(typeof data.member_id !== "string"){
validate61.errors = [{instancePath:instancePath+"/member_id",schemaPath:"#/properties/member_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.pagination !== undefined){
let data1 = data.pagination;
const _errs4 = errors;
if(errors === _errs4){
if(data1 && typeof data1 == "object" && !Array.isArray(data1)){
const _errs6 = errors;
for(const key1 in data1){
if(!(((key1 === "limit") || (key1 === "cursor")) || (key1 === "skip"))){
validate61.errors = [{instancePath:instancePath+"/pagination",schemaPath:"#/properties/pagination/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
return false;
break;
}
}
if(_errs6 === errors){
if(data1.limit !== undefined){
let data2 = data1.limit;
const _errs7 = errors;
if(!(((typeof data2 == "number") && (!(data2 % 1) && !isNaN(data2))) && (isFinite(data2)))){
validate61.errors = [{instancePath:instancePath+"/pagination/limit",schemaPath:"#/properties/pagination/properties/limit/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs7){
if((typeof data2 == "number") && (isFinite(data2))){
if(data2 > 1000 || isNaN(data2)){
validate61.errors = [{instancePath:instancePath+"/pagination/limit",schemaPath:"#/properties/pagination/properties/limit/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1000}}];
return false;
}
else {
if(data2 < 1 || isNaN(data2)){
validate61.errors = [{instancePath:instancePath+"/pagination/limit",schemaPath:"#/properties/pagination/properties/limit/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1}}];
return false;
}
}
}
}
var valid1 = _errs7 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.cursor !== undefined){
let data3 = data1.cursor;
const _errs9 = errors;
if((typeof data3 !== "string") && (data3 !== null)){
validate61.errors = [{instancePath:instancePath+"/pagination/cursor",schemaPath:"#/properties/pagination/properties/cursor/type",keyword:"type",params:{type: schema48.properties.pagination.properties.cursor.type}}];
return false;
}
if(errors === _errs9){
if(typeof data3 === "string"){
if(func2(data3) > 1024){
validate61.errors = [{instancePath:instancePath+"/pagination/cursor",schemaPath:"#/properties/pagination/properties/cursor/maxLength",keyword:"maxLength",params:{limit: 1024}}];
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
if(data1.skip !== undefined){
let data4 = data1.skip;
const _errs11 = errors;
if(!(((typeof data4 == "number") && (!(data4 % 1) && !isNaN(data4))) && (isFinite(data4)))){
validate61.errors = [{instancePath:instancePath+"/pagination/skip",schemaPath:"#/properties/pagination/properties/skip/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs11){
if((typeof data4 == "number") && (isFinite(data4))){
if(data4 > 100000 || isNaN(data4)){
validate61.errors = [{instancePath:instancePath+"/pagination/skip",schemaPath:"#/properties/pagination/properties/skip/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100000}}];
return false;
}
else {
if(data4 < 0 || isNaN(data4)){
validate61.errors = [{instancePath:instancePath+"/pagination/skip",schemaPath:"#/properties/pagination/properties/skip/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}}];
return false;
}
}
}
}
var valid1 = _errs11 === errors;
}
else {
var valid1 = true;
}
}
}
}
}
else {
validate61.errors = [{instancePath:instancePath+"/pagination",schemaPath:"#/properties/pagination/type",keyword:"type",params:{type: "object"}}];
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
validate61.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate61.errors = vErrors;
return errors === 0;
}

export const validate_wallet_cashback_list = validate62;
const schema49 = {"type":"object","required":["member_id"],"properties":{"member_id":{"type":"string"},"pagination":{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":1000},"cursor":{"type":["string","null"],"maxLength":1024},"skip":{"type":"integer","minimum":0,"maximum":100000}},"additionalProperties":false}},"additionalProperties":false};

function validate62(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.member_id === undefined) && (missing0 = "member_id")){
validate62.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "member_id") || (key0 === "pagination"))){
validate62.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.member_id !== undefined){
const _errs2 = errors;
if(typeof data.member_id !== "string"){
validate62.errors = [{instancePath:instancePath+"/member_id",schemaPath:"#/properties/member_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.pagination !== undefined){
let data1 = data.pagination;
const _errs4 = errors;
if(errors === _errs4){
if(data1 && typeof data1 == "object" && !Array.isArray(data1)){
const _errs6 = errors;
for(const key1 in data1){
if(!(((key1 === "limit") || (key1 === "cursor")) || (key1 === "skip"))){
validate62.errors = [{instancePath:instancePath+"/pagination",schemaPath:"#/properties/pagination/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
return false;
break;
}
}
if(_errs6 === errors){
if(data1.limit !== undefined){
let data2 = data1.limit;
const _errs7 = errors;
if(!(((typeof data2 == "number") && (!(data2 % 1) && !isNaN(data2))) && (isFinite(data2)))){
validate62.errors = [{instancePath:instancePath+"/pagination/limit",schemaPath:"#/properties/pagination/properties/limit/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs7){
if((typeof data2 == "number") && (isFinite(data2))){
if(data2 > 1000 || isNaN(data2)){
validate62.errors = [{instancePath:instancePath+"/pagination/limit",schemaPath:"#/properties/pagination/properties/limit/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1000}}];
return false;
}
else {
if(data2 < 1 || isNaN(data2)){
validate62.errors = [{instancePath:instancePath+"/pagination/limit",schemaPath:"#/properties/pagination/properties/limit/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1}}];
return false;
}
}
}
}
var valid1 = _errs7 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data1.cursor !== undefined){
let data3 = data1.cursor;
const _errs9 = errors;
if((typeof data3 !== "string") && (data3 !== null)){
validate62.errors = [{instancePath:instancePath+"/pagination/cursor",schemaPath:"#/properties/pagination/properties/cursor/type",keyword:"type",params:{type: schema49.properties.pagination.properties.cursor.type}}];
return false;
}
if(errors === _errs9){
if(typeof data3 === "string"){
if(func2(data3) > 1024){
validate62.errors = [{instancePath:instancePath+"/pagination/cursor",schemaPath:"#/properties/pagination/properties/cursor/maxLength",keyword:"maxLength",params:{limit: 1024}}];
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
if(data1.skip !== undefined){
let data4 = data1.skip;
const _errs11 = errors;
if(!(((typeof data4 == "number") && (!(data4 % 1) && !isNaN(data4))) && (isFinite(data4)))){
validate62.errors = [{instancePath:instancePath+"/pagination/skip",schemaPath:"#/properties/pagination/properties/skip/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs11){
if((typeof data4 == "number") && (isFinite(data4))){
if(data4 > 100000 || isNaN(data4)){
validate62.errors = [{instancePath:instancePath+"/pagination/skip",schemaPath:"#/properties/pagination/properties/skip/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100000}}];
return false;
}
else {
if(data4 < 0 || isNaN(data4)){
validate62.errors = [{instancePath:instancePath+"/pagination/skip",schemaPath:"#/properties/pagination/properties/skip/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}}];
return false;
}
}
}
}
var valid1 = _errs11 === errors;
}
else {
var valid1 = true;
}
}
}
}
}
else {
validate62.errors = [{instancePath:instancePath+"/pagination",schemaPath:"#/properties/pagination/type",keyword:"type",params:{type: "object"}}];
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
validate62.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate62.errors = vErrors;
return errors === 0;
}

export const validate_webhook_create = validate63;
const schema50 = {"type":"object","required":["url","events"],"properties":{"url":{"type":"string","minLength":1,"maxLength":2048,"format":"printable"},"events":{"type":"array","items":{"type":"string","enum":["cashback.created","cashback.cleared","cashback.reverted","qualifying_purchase.created","qualifying_purchase.voided","qualifying_purchase.unredeemed","transaction.rejected"]},"minItems":1,"maxItems":7,"uniqueItems":true},"description":{"type":"string","maxLength":1024,"format":"storable"},"secret":{"type":"string","format":"webhook-secret"}},"additionalProperties":false};
const formats124 = FORMAT_TESTS["webhook-secret"];

function validate63(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.url === undefined) && (missing0 = "url")) || ((data.events === undefined) && (missing0 = "events"))){
validate63.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((((key0 === "url") || (key0 === "events")) || (key0 === "description")) || (key0 === "secret"))){
validate63.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
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
validate63.errors = [{instancePath:instancePath+"/url",schemaPath:"#/properties/url/maxLength",keyword:"maxLength",params:{limit: 2048}}];
return false;
}
else {
if(func2(data0) < 1){
validate63.errors = [{instancePath:instancePath+"/url",schemaPath:"#/properties/url/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats4(data0))){
validate63.errors = [{instancePath:instancePath+"/url",schemaPath:"#/properties/url/format",keyword:"format",params:{format: "printable"}}];
return false;
}
}
}
}
else {
validate63.errors = [{instancePath:instancePath+"/url",schemaPath:"#/properties/url/type",keyword:"type",params:{type: "string"}}];
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
if(data1.length > 7){
validate63.errors = [{instancePath:instancePath+"/events",schemaPath:"#/properties/events/maxItems",keyword:"maxItems",params:{limit: 7}}];
return false;
}
else {
if(data1.length < 1){
validate63.errors = [{instancePath:instancePath+"/events",schemaPath:"#/properties/events/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid1 = true;
const len0 = data1.length;
for(let i0=0; i0<len0; i0++){
let data2 = data1[i0];
const _errs6 = errors;
if(typeof data2 !== "string"){
validate63.errors = [{instancePath:instancePath+"/events/" + i0,schemaPath:"#/properties/events/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!(((((((data2 === "cashback.created") || (data2 === "cashback.cleared")) || (data2 === "cashback.reverted")) || (data2 === "qualifying_purchase.created")) || (data2 === "qualifying_purchase.voided")) || (data2 === "qualifying_purchase.unredeemed")) || (data2 === "transaction.rejected"))){
validate63.errors = [{instancePath:instancePath+"/events/" + i0,schemaPath:"#/properties/events/items/enum",keyword:"enum",params:{allowedValues: schema50.properties.events.items.enum}}];
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
validate63.errors = [{instancePath:instancePath+"/events",schemaPath:"#/properties/events/uniqueItems",keyword:"uniqueItems",params:{i: i1, j: j0}}];
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
validate63.errors = [{instancePath:instancePath+"/events",schemaPath:"#/properties/events/type",keyword:"type",params:{type: "array"}}];
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
validate63.errors = [{instancePath:instancePath+"/description",schemaPath:"#/properties/description/maxLength",keyword:"maxLength",params:{limit: 1024}}];
return false;
}
else {
if(!(formats0(data3))){
validate63.errors = [{instancePath:instancePath+"/description",schemaPath:"#/properties/description/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
}
else {
validate63.errors = [{instancePath:instancePath+"/description",schemaPath:"#/properties/description/type",keyword:"type",params:{type: "string"}}];
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
if(!(formats124(data4))){
validate63.errors = [{instancePath:instancePath+"/secret",schemaPath:"#/properties/secret/format",keyword:"format",params:{format: "webhook-secret"}}];
return false;
}
}
else {
validate63.errors = [{instancePath:instancePath+"/secret",schemaPath:"#/properties/secret/type",keyword:"type",params:{type: "string"}}];
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
validate63.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate63.errors = vErrors;
return errors === 0;
}

export const validate_webhook_get = validate64;
const schema51 = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};

function validate64(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.id === undefined) && (missing0 = "id")){
validate64.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "id")){
validate64.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
if(typeof data.id !== "string"){
validate64.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
}
}
}
}
}
else {
validate64.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate64.errors = vErrors;
return errors === 0;
}

export const validate_webhook_list = validate65;
const schema52 = {"type":"object","properties":{"pagination":{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":1000},"cursor":{"type":["string","null"],"maxLength":1024},"skip":{"type":"integer","minimum":0,"maximum":100000}},"additionalProperties":false}},"additionalProperties":false};

function validate65(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "pagination")){
validate65.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.pagination !== undefined){
let data0 = data.pagination;
const _errs2 = errors;
if(errors === _errs2){
if(data0 && typeof data0 == "object" && !Array.isArray(data0)){
const _errs4 = errors;
for(const key1 in data0){
if(!(((key1 === "limit") || (key1 === "cursor")) || (key1 === "skip"))){
validate65.errors = [{instancePath:instancePath+"/pagination",schemaPath:"#/properties/pagination/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
return false;
break;
}
}
if(_errs4 === errors){
if(data0.limit !== undefined){
let data1 = data0.limit;
const _errs5 = errors;
if(!(((typeof data1 == "number") && (!(data1 % 1) && !isNaN(data1))) && (isFinite(data1)))){
validate65.errors = [{instancePath:instancePath+"/pagination/limit",schemaPath:"#/properties/pagination/properties/limit/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs5){
if((typeof data1 == "number") && (isFinite(data1))){
if(data1 > 1000 || isNaN(data1)){
validate65.errors = [{instancePath:instancePath+"/pagination/limit",schemaPath:"#/properties/pagination/properties/limit/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1000}}];
return false;
}
else {
if(data1 < 1 || isNaN(data1)){
validate65.errors = [{instancePath:instancePath+"/pagination/limit",schemaPath:"#/properties/pagination/properties/limit/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1}}];
return false;
}
}
}
}
var valid1 = _errs5 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data0.cursor !== undefined){
let data2 = data0.cursor;
const _errs7 = errors;
if((typeof data2 !== "string") && (data2 !== null)){
validate65.errors = [{instancePath:instancePath+"/pagination/cursor",schemaPath:"#/properties/pagination/properties/cursor/type",keyword:"type",params:{type: schema52.properties.pagination.properties.cursor.type}}];
return false;
}
if(errors === _errs7){
if(typeof data2 === "string"){
if(func2(data2) > 1024){
validate65.errors = [{instancePath:instancePath+"/pagination/cursor",schemaPath:"#/properties/pagination/properties/cursor/maxLength",keyword:"maxLength",params:{limit: 1024}}];
return false;
}
}
}
var valid1 = _errs7 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data0.skip !== undefined){
let data3 = data0.skip;
const _errs9 = errors;
if(!(((typeof data3 == "number") && (!(data3 % 1) && !isNaN(data3))) && (isFinite(data3)))){
validate65.errors = [{instancePath:instancePath+"/pagination/skip",schemaPath:"#/properties/pagination/properties/skip/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs9){
if((typeof data3 == "number") && (isFinite(data3))){
if(data3 > 100000 || isNaN(data3)){
validate65.errors = [{instancePath:instancePath+"/pagination/skip",schemaPath:"#/properties/pagination/properties/skip/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100000}}];
return false;
}
else {
if(data3 < 0 || isNaN(data3)){
validate65.errors = [{instancePath:instancePath+"/pagination/skip",schemaPath:"#/properties/pagination/properties/skip/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}}];
return false;
}
}
}
}
var valid1 = _errs9 === errors;
}
else {
var valid1 = true;
}
}
}
}
}
else {
validate65.errors = [{instancePath:instancePath+"/pagination",schemaPath:"#/properties/pagination/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
}
}
}
else {
validate65.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate65.errors = vErrors;
return errors === 0;
}

export const validate_webhook_update = validate66;
const schema53 = {"type":"object","required":["id"],"properties":{"id":{"type":"string"},"url":{"type":"string","minLength":1,"maxLength":2048,"format":"printable"},"events":{"type":"array","items":{"type":"string","enum":["cashback.created","cashback.cleared","cashback.reverted","qualifying_purchase.created","qualifying_purchase.voided","qualifying_purchase.unredeemed","transaction.rejected"]},"minItems":1,"maxItems":7,"uniqueItems":true},"description":{"type":"string","maxLength":1024,"format":"storable"},"state":{"enum":["enabled","paused"]}},"additionalProperties":false};

function validate66(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.id === undefined) && (missing0 = "id")){
validate66.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((((key0 === "id") || (key0 === "url")) || (key0 === "events")) || (key0 === "description")) || (key0 === "state"))){
validate66.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
const _errs2 = errors;
if(typeof data.id !== "string"){
validate66.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
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
validate66.errors = [{instancePath:instancePath+"/url",schemaPath:"#/properties/url/maxLength",keyword:"maxLength",params:{limit: 2048}}];
return false;
}
else {
if(func2(data1) < 1){
validate66.errors = [{instancePath:instancePath+"/url",schemaPath:"#/properties/url/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats4(data1))){
validate66.errors = [{instancePath:instancePath+"/url",schemaPath:"#/properties/url/format",keyword:"format",params:{format: "printable"}}];
return false;
}
}
}
}
else {
validate66.errors = [{instancePath:instancePath+"/url",schemaPath:"#/properties/url/type",keyword:"type",params:{type: "string"}}];
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
if(data2.length > 7){
validate66.errors = [{instancePath:instancePath+"/events",schemaPath:"#/properties/events/maxItems",keyword:"maxItems",params:{limit: 7}}];
return false;
}
else {
if(data2.length < 1){
validate66.errors = [{instancePath:instancePath+"/events",schemaPath:"#/properties/events/minItems",keyword:"minItems",params:{limit: 1}}];
return false;
}
else {
var valid1 = true;
const len0 = data2.length;
for(let i0=0; i0<len0; i0++){
let data3 = data2[i0];
const _errs8 = errors;
if(typeof data3 !== "string"){
validate66.errors = [{instancePath:instancePath+"/events/" + i0,schemaPath:"#/properties/events/items/type",keyword:"type",params:{type: "string"}}];
return false;
}
if(!(((((((data3 === "cashback.created") || (data3 === "cashback.cleared")) || (data3 === "cashback.reverted")) || (data3 === "qualifying_purchase.created")) || (data3 === "qualifying_purchase.voided")) || (data3 === "qualifying_purchase.unredeemed")) || (data3 === "transaction.rejected"))){
validate66.errors = [{instancePath:instancePath+"/events/" + i0,schemaPath:"#/properties/events/items/enum",keyword:"enum",params:{allowedValues: schema53.properties.events.items.enum}}];
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
validate66.errors = [{instancePath:instancePath+"/events",schemaPath:"#/properties/events/uniqueItems",keyword:"uniqueItems",params:{i: i1, j: j0}}];
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
validate66.errors = [{instancePath:instancePath+"/events",schemaPath:"#/properties/events/type",keyword:"type",params:{type: "array"}}];
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
validate66.errors = [{instancePath:instancePath+"/description",schemaPath:"#/properties/description/maxLength",keyword:"maxLength",params:{limit: 1024}}];
return false;
}
else {
if(!(formats0(data4))){
validate66.errors = [{instancePath:instancePath+"/description",schemaPath:"#/properties/description/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
}
else {
validate66.errors = [{instancePath:instancePath+"/description",schemaPath:"#/properties/description/type",keyword:"type",params:{type: "string"}}];
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
validate66.errors = [{instancePath:instancePath+"/state",schemaPath:"#/properties/state/enum",keyword:"enum",params:{allowedValues: schema53.properties.state.enum}}];
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
validate66.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate66.errors = vErrors;
return errors === 0;
}

export const validate_webhook_delete = validate67;
const schema54 = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};

function validate67(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.id === undefined) && (missing0 = "id")){
validate67.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "id")){
validate67.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
if(typeof data.id !== "string"){
validate67.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
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

export const validate_webhook_rotate_secret = validate68;
const schema55 = {"type":"object","required":["id"],"properties":{"id":{"type":"string"},"overlap_seconds":{"type":"integer","minimum":0,"maximum":604800}},"additionalProperties":false};

function validate68(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.id === undefined) && (missing0 = "id")){
validate68.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "id") || (key0 === "overlap_seconds"))){
validate68.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
const _errs2 = errors;
if(typeof data.id !== "string"){
validate68.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
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
validate68.errors = [{instancePath:instancePath+"/overlap_seconds",schemaPath:"#/properties/overlap_seconds/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs4){
if((typeof data1 == "number") && (isFinite(data1))){
if(data1 > 604800 || isNaN(data1)){
validate68.errors = [{instancePath:instancePath+"/overlap_seconds",schemaPath:"#/properties/overlap_seconds/maximum",keyword:"maximum",params:{comparison: "<=", limit: 604800}}];
return false;
}
else {
if(data1 < 0 || isNaN(data1)){
validate68.errors = [{instancePath:instancePath+"/overlap_seconds",schemaPath:"#/properties/overlap_seconds/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}}];
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
validate68.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate68.errors = vErrors;
return errors === 0;
}

export const validate_message_config = validate69;
const schema56 = {"anyOf":[{"type":"object","required":["v","kind","id","revision","record"],"properties":{"v":{"type":"number","const":1},"kind":{"type":"string","const":"loyalty-program"},"id":{"type":"string"},"revision":{"type":"integer","minimum":1,"maximum":9007199254740991},"record":{"anyOf":[{"type":"object","required":["name","qualifying_threshold","reward_config","display_content","created_at","updated_at"],"properties":{"name":{"type":"string"},"qualifying_threshold":{"type":"integer","minimum":1,"maximum":1000000},"reward_config":{"anyOf":[{"type":"object","required":["type"],"properties":{"type":{"type":"string","const":"refund"}}},{"type":"object","required":["type","amount"],"properties":{"type":{"type":"string","const":"fixed-reward"},"amount":{"type":"integer","minimum":0}}}]},"display_content":{"type":"object","required":["title","image","summary","description","terms"],"properties":{"title":{"type":"string"},"image":{"type":"string"},"logo":{"type":"string"},"summary":{"type":"string"},"description":{"type":"string"},"terms":{"type":"string"},"reward":{"type":"object","required":["formatted"],"properties":{"formatted":{"type":"string"}}}}},"currency":{"type":"string","format":"currency"},"created_at":{"type":"string","format":"timestamp"},"updated_at":{"type":"string","format":"timestamp"}}},{"type":"null"}]}}},{"type":"object","required":["v","kind","id","revision","record"],"properties":{"v":{"type":"number","const":1},"kind":{"type":"string","const":"deal"},"id":{"type":"string"},"revision":{"type":"integer","minimum":1,"maximum":9007199254740991},"record":{"anyOf":[{"type":"object","required":["name","reward_config","display_content","created_at","updated_at"],"properties":{"name":{"type":"string"},"reward_config":{"anyOf":[{"type":"object","required":["type","percent"],"properties":{"type":{"type":"string","const":"percent"},"percent":{"type":"number","exclusiveMinimum":0,"maximum":100},"max_amount":{"type":"integer","minimum":0}}},{"type":"object","required":["type","amount","currency"],"properties":{"type":{"type":"string","const":"fixed"},"amount":{"type":"integer","minimum":0},"currency":{"type":"string"}}}]},"display_content":{"type":"object","required":["title","image","summary","description","terms"],"properties":{"title":{"type":"string"},"image":{"type":"string"},"logo":{"type":"string"},"summary":{"type":"string"},"description":{"type":"string"},"terms":{"type":"string"},"reward":{"type":"object","required":["formatted"],"properties":{"formatted":{"type":"string"}}}}},"starts_at":{"type":"string","format":"timestamp"},"ends_at":{"type":"string","format":"timestamp"},"created_at":{"type":"string","format":"timestamp"},"updated_at":{"type":"string","format":"timestamp"}}},{"type":"null"}]}}}]};

function validate69(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
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
if(errors === _errs21){
if(data7 && typeof data7 == "object" && !Array.isArray(data7)){
let missing2;
if((data7.type === undefined) && (missing2 = "type")){
const err14 = {instancePath:instancePath+"/record/reward_config",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/reward_config/anyOf/0/required",keyword:"required",params:{missingProperty: missing2}};
if(vErrors === null){
vErrors = [err14];
}
else {
vErrors.push(err14);
}
errors++;
}
else {
if(data7.type !== undefined){
let data8 = data7.type;
if(typeof data8 !== "string"){
const err15 = {instancePath:instancePath+"/record/reward_config/type",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/reward_config/anyOf/0/properties/type/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err15];
}
else {
vErrors.push(err15);
}
errors++;
}
if("refund" !== data8){
const err16 = {instancePath:instancePath+"/record/reward_config/type",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/reward_config/anyOf/0/properties/type/const",keyword:"const",params:{allowedValue: "refund"}};
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
}
else {
const err17 = {instancePath:instancePath+"/record/reward_config",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/reward_config/anyOf/0/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err17];
}
else {
vErrors.push(err17);
}
errors++;
}
}
var _valid2 = _errs21 === errors;
valid4 = valid4 || _valid2;
if(!valid4){
const _errs25 = errors;
if(errors === _errs25){
if(data7 && typeof data7 == "object" && !Array.isArray(data7)){
let missing3;
if(((data7.type === undefined) && (missing3 = "type")) || ((data7.amount === undefined) && (missing3 = "amount"))){
const err18 = {instancePath:instancePath+"/record/reward_config",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/reward_config/anyOf/1/required",keyword:"required",params:{missingProperty: missing3}};
if(vErrors === null){
vErrors = [err18];
}
else {
vErrors.push(err18);
}
errors++;
}
else {
if(data7.type !== undefined){
let data9 = data7.type;
const _errs27 = errors;
if(typeof data9 !== "string"){
const err19 = {instancePath:instancePath+"/record/reward_config/type",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/reward_config/anyOf/1/properties/type/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err19];
}
else {
vErrors.push(err19);
}
errors++;
}
if("fixed-reward" !== data9){
const err20 = {instancePath:instancePath+"/record/reward_config/type",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/reward_config/anyOf/1/properties/type/const",keyword:"const",params:{allowedValue: "fixed-reward"}};
if(vErrors === null){
vErrors = [err20];
}
else {
vErrors.push(err20);
}
errors++;
}
var valid6 = _errs27 === errors;
}
else {
var valid6 = true;
}
if(valid6){
if(data7.amount !== undefined){
let data10 = data7.amount;
const _errs29 = errors;
if(!(((typeof data10 == "number") && (!(data10 % 1) && !isNaN(data10))) && (isFinite(data10)))){
const err21 = {instancePath:instancePath+"/record/reward_config/amount",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/reward_config/anyOf/1/properties/amount/type",keyword:"type",params:{type: "integer"}};
if(vErrors === null){
vErrors = [err21];
}
else {
vErrors.push(err21);
}
errors++;
}
if(errors === _errs29){
if((typeof data10 == "number") && (isFinite(data10))){
if(data10 < 0 || isNaN(data10)){
const err22 = {instancePath:instancePath+"/record/reward_config/amount",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/reward_config/anyOf/1/properties/amount/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}};
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
var valid6 = _errs29 === errors;
}
else {
var valid6 = true;
}
}
}
}
else {
const err23 = {instancePath:instancePath+"/record/reward_config",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/reward_config/anyOf/1/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err23];
}
else {
vErrors.push(err23);
}
errors++;
}
}
var _valid2 = _errs25 === errors;
valid4 = valid4 || _valid2;
}
if(!valid4){
const err24 = {instancePath:instancePath+"/record/reward_config",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/reward_config/anyOf",keyword:"anyOf",params:{}};
if(vErrors === null){
vErrors = [err24];
}
else {
vErrors.push(err24);
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
let data11 = data4.display_content;
const _errs31 = errors;
if(errors === _errs31){
if(data11 && typeof data11 == "object" && !Array.isArray(data11)){
let missing4;
if((((((data11.title === undefined) && (missing4 = "title")) || ((data11.image === undefined) && (missing4 = "image"))) || ((data11.summary === undefined) && (missing4 = "summary"))) || ((data11.description === undefined) && (missing4 = "description"))) || ((data11.terms === undefined) && (missing4 = "terms"))){
const err25 = {instancePath:instancePath+"/record/display_content",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/display_content/required",keyword:"required",params:{missingProperty: missing4}};
if(vErrors === null){
vErrors = [err25];
}
else {
vErrors.push(err25);
}
errors++;
}
else {
if(data11.title !== undefined){
const _errs33 = errors;
if(typeof data11.title !== "string"){
const err26 = {instancePath:instancePath+"/record/display_content/title",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/display_content/properties/title/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err26];
}
else {
vErrors.push(err26);
}
errors++;
}
var valid7 = _errs33 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data11.image !== undefined){
const _errs35 = errors;
if(typeof data11.image !== "string"){
const err27 = {instancePath:instancePath+"/record/display_content/image",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/display_content/properties/image/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err27];
}
else {
vErrors.push(err27);
}
errors++;
}
var valid7 = _errs35 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data11.logo !== undefined){
const _errs37 = errors;
if(typeof data11.logo !== "string"){
const err28 = {instancePath:instancePath+"/record/display_content/logo",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/display_content/properties/logo/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err28];
}
else {
vErrors.push(err28);
}
errors++;
}
var valid7 = _errs37 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data11.summary !== undefined){
const _errs39 = errors;
if(typeof data11.summary !== "string"){
const err29 = {instancePath:instancePath+"/record/display_content/summary",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/display_content/properties/summary/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err29];
}
else {
vErrors.push(err29);
}
errors++;
}
var valid7 = _errs39 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data11.description !== undefined){
const _errs41 = errors;
if(typeof data11.description !== "string"){
const err30 = {instancePath:instancePath+"/record/display_content/description",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/display_content/properties/description/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err30];
}
else {
vErrors.push(err30);
}
errors++;
}
var valid7 = _errs41 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data11.terms !== undefined){
const _errs43 = errors;
if(typeof data11.terms !== "string"){
const err31 = {instancePath:instancePath+"/record/display_content/terms",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/display_content/properties/terms/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err31];
}
else {
vErrors.push(err31);
}
errors++;
}
var valid7 = _errs43 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data11.reward !== undefined){
let data18 = data11.reward;
const _errs45 = errors;
if(errors === _errs45){
if(data18 && typeof data18 == "object" && !Array.isArray(data18)){
let missing5;
if((data18.formatted === undefined) && (missing5 = "formatted")){
const err32 = {instancePath:instancePath+"/record/display_content/reward",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/display_content/properties/reward/required",keyword:"required",params:{missingProperty: missing5}};
if(vErrors === null){
vErrors = [err32];
}
else {
vErrors.push(err32);
}
errors++;
}
else {
if(data18.formatted !== undefined){
if(typeof data18.formatted !== "string"){
const err33 = {instancePath:instancePath+"/record/display_content/reward/formatted",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/display_content/properties/reward/properties/formatted/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err33];
}
else {
vErrors.push(err33);
}
errors++;
}
}
}
}
else {
const err34 = {instancePath:instancePath+"/record/display_content/reward",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/display_content/properties/reward/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err34];
}
else {
vErrors.push(err34);
}
errors++;
}
}
var valid7 = _errs45 === errors;
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
}
else {
const err35 = {instancePath:instancePath+"/record/display_content",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/display_content/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err35];
}
else {
vErrors.push(err35);
}
errors++;
}
}
var valid3 = _errs31 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data4.currency !== undefined){
let data20 = data4.currency;
const _errs49 = errors;
if(errors === _errs49){
if(errors === _errs49){
if(typeof data20 === "string"){
if(!(formats112(data20))){
const err36 = {instancePath:instancePath+"/record/currency",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/currency/format",keyword:"format",params:{format: "currency"}};
if(vErrors === null){
vErrors = [err36];
}
else {
vErrors.push(err36);
}
errors++;
}
}
else {
const err37 = {instancePath:instancePath+"/record/currency",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/currency/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err37];
}
else {
vErrors.push(err37);
}
errors++;
}
}
}
var valid3 = _errs49 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data4.created_at !== undefined){
let data21 = data4.created_at;
const _errs51 = errors;
if(errors === _errs51){
if(errors === _errs51){
if(typeof data21 === "string"){
if(!(formats2(data21))){
const err38 = {instancePath:instancePath+"/record/created_at",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/created_at/format",keyword:"format",params:{format: "timestamp"}};
if(vErrors === null){
vErrors = [err38];
}
else {
vErrors.push(err38);
}
errors++;
}
}
else {
const err39 = {instancePath:instancePath+"/record/created_at",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/created_at/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err39];
}
else {
vErrors.push(err39);
}
errors++;
}
}
}
var valid3 = _errs51 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data4.updated_at !== undefined){
let data22 = data4.updated_at;
const _errs53 = errors;
if(errors === _errs53){
if(errors === _errs53){
if(typeof data22 === "string"){
if(!(formats2(data22))){
const err40 = {instancePath:instancePath+"/record/updated_at",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/updated_at/format",keyword:"format",params:{format: "timestamp"}};
if(vErrors === null){
vErrors = [err40];
}
else {
vErrors.push(err40);
}
errors++;
}
}
else {
const err41 = {instancePath:instancePath+"/record/updated_at",schemaPath:"#/anyOf/0/properties/record/anyOf/0/properties/updated_at/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err41];
}
else {
vErrors.push(err41);
}
errors++;
}
}
}
var valid3 = _errs53 === errors;
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
else {
const err42 = {instancePath:instancePath+"/record",schemaPath:"#/anyOf/0/properties/record/anyOf/0/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err42];
}
else {
vErrors.push(err42);
}
errors++;
}
}
var _valid1 = _errs13 === errors;
valid2 = valid2 || _valid1;
if(!valid2){
const _errs55 = errors;
if(data4 !== null){
const err43 = {instancePath:instancePath+"/record",schemaPath:"#/anyOf/0/properties/record/anyOf/1/type",keyword:"type",params:{type: "null"}};
if(vErrors === null){
vErrors = [err43];
}
else {
vErrors.push(err43);
}
errors++;
}
var _valid1 = _errs55 === errors;
valid2 = valid2 || _valid1;
}
if(!valid2){
const err44 = {instancePath:instancePath+"/record",schemaPath:"#/anyOf/0/properties/record/anyOf",keyword:"anyOf",params:{}};
if(vErrors === null){
vErrors = [err44];
}
else {
vErrors.push(err44);
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
}
}
}
}
}
}
else {
const err45 = {instancePath,schemaPath:"#/anyOf/0/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err45];
}
else {
vErrors.push(err45);
}
errors++;
}
}
var _valid0 = _errs1 === errors;
valid0 = valid0 || _valid0;
if(!valid0){
const _errs57 = errors;
if(errors === _errs57){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing6;
if((((((data.v === undefined) && (missing6 = "v")) || ((data.kind === undefined) && (missing6 = "kind"))) || ((data.id === undefined) && (missing6 = "id"))) || ((data.revision === undefined) && (missing6 = "revision"))) || ((data.record === undefined) && (missing6 = "record"))){
const err46 = {instancePath,schemaPath:"#/anyOf/1/required",keyword:"required",params:{missingProperty: missing6}};
if(vErrors === null){
vErrors = [err46];
}
else {
vErrors.push(err46);
}
errors++;
}
else {
if(data.v !== undefined){
let data23 = data.v;
const _errs59 = errors;
if(!((typeof data23 == "number") && (isFinite(data23)))){
const err47 = {instancePath:instancePath+"/v",schemaPath:"#/anyOf/1/properties/v/type",keyword:"type",params:{type: "number"}};
if(vErrors === null){
vErrors = [err47];
}
else {
vErrors.push(err47);
}
errors++;
}
if(1 !== data23){
const err48 = {instancePath:instancePath+"/v",schemaPath:"#/anyOf/1/properties/v/const",keyword:"const",params:{allowedValue: 1}};
if(vErrors === null){
vErrors = [err48];
}
else {
vErrors.push(err48);
}
errors++;
}
var valid9 = _errs59 === errors;
}
else {
var valid9 = true;
}
if(valid9){
if(data.kind !== undefined){
let data24 = data.kind;
const _errs61 = errors;
if(typeof data24 !== "string"){
const err49 = {instancePath:instancePath+"/kind",schemaPath:"#/anyOf/1/properties/kind/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err49];
}
else {
vErrors.push(err49);
}
errors++;
}
if("deal" !== data24){
const err50 = {instancePath:instancePath+"/kind",schemaPath:"#/anyOf/1/properties/kind/const",keyword:"const",params:{allowedValue: "deal"}};
if(vErrors === null){
vErrors = [err50];
}
else {
vErrors.push(err50);
}
errors++;
}
var valid9 = _errs61 === errors;
}
else {
var valid9 = true;
}
if(valid9){
if(data.id !== undefined){
const _errs63 = errors;
if(typeof data.id !== "string"){
const err51 = {instancePath:instancePath+"/id",schemaPath:"#/anyOf/1/properties/id/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err51];
}
else {
vErrors.push(err51);
}
errors++;
}
var valid9 = _errs63 === errors;
}
else {
var valid9 = true;
}
if(valid9){
if(data.revision !== undefined){
let data26 = data.revision;
const _errs65 = errors;
if(!(((typeof data26 == "number") && (!(data26 % 1) && !isNaN(data26))) && (isFinite(data26)))){
const err52 = {instancePath:instancePath+"/revision",schemaPath:"#/anyOf/1/properties/revision/type",keyword:"type",params:{type: "integer"}};
if(vErrors === null){
vErrors = [err52];
}
else {
vErrors.push(err52);
}
errors++;
}
if(errors === _errs65){
if((typeof data26 == "number") && (isFinite(data26))){
if(data26 > 9007199254740991 || isNaN(data26)){
const err53 = {instancePath:instancePath+"/revision",schemaPath:"#/anyOf/1/properties/revision/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991}};
if(vErrors === null){
vErrors = [err53];
}
else {
vErrors.push(err53);
}
errors++;
}
else {
if(data26 < 1 || isNaN(data26)){
const err54 = {instancePath:instancePath+"/revision",schemaPath:"#/anyOf/1/properties/revision/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1}};
if(vErrors === null){
vErrors = [err54];
}
else {
vErrors.push(err54);
}
errors++;
}
}
}
}
var valid9 = _errs65 === errors;
}
else {
var valid9 = true;
}
if(valid9){
if(data.record !== undefined){
let data27 = data.record;
const _errs67 = errors;
const _errs68 = errors;
let valid10 = false;
const _errs69 = errors;
if(errors === _errs69){
if(data27 && typeof data27 == "object" && !Array.isArray(data27)){
let missing7;
if((((((data27.name === undefined) && (missing7 = "name")) || ((data27.reward_config === undefined) && (missing7 = "reward_config"))) || ((data27.display_content === undefined) && (missing7 = "display_content"))) || ((data27.created_at === undefined) && (missing7 = "created_at"))) || ((data27.updated_at === undefined) && (missing7 = "updated_at"))){
const err55 = {instancePath:instancePath+"/record",schemaPath:"#/anyOf/1/properties/record/anyOf/0/required",keyword:"required",params:{missingProperty: missing7}};
if(vErrors === null){
vErrors = [err55];
}
else {
vErrors.push(err55);
}
errors++;
}
else {
if(data27.name !== undefined){
const _errs71 = errors;
if(typeof data27.name !== "string"){
const err56 = {instancePath:instancePath+"/record/name",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/name/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err56];
}
else {
vErrors.push(err56);
}
errors++;
}
var valid11 = _errs71 === errors;
}
else {
var valid11 = true;
}
if(valid11){
if(data27.reward_config !== undefined){
let data29 = data27.reward_config;
const _errs73 = errors;
const _errs74 = errors;
let valid12 = false;
const _errs75 = errors;
if(errors === _errs75){
if(data29 && typeof data29 == "object" && !Array.isArray(data29)){
let missing8;
if(((data29.type === undefined) && (missing8 = "type")) || ((data29.percent === undefined) && (missing8 = "percent"))){
const err57 = {instancePath:instancePath+"/record/reward_config",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/reward_config/anyOf/0/required",keyword:"required",params:{missingProperty: missing8}};
if(vErrors === null){
vErrors = [err57];
}
else {
vErrors.push(err57);
}
errors++;
}
else {
if(data29.type !== undefined){
let data30 = data29.type;
const _errs77 = errors;
if(typeof data30 !== "string"){
const err58 = {instancePath:instancePath+"/record/reward_config/type",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/reward_config/anyOf/0/properties/type/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err58];
}
else {
vErrors.push(err58);
}
errors++;
}
if("percent" !== data30){
const err59 = {instancePath:instancePath+"/record/reward_config/type",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/reward_config/anyOf/0/properties/type/const",keyword:"const",params:{allowedValue: "percent"}};
if(vErrors === null){
vErrors = [err59];
}
else {
vErrors.push(err59);
}
errors++;
}
var valid13 = _errs77 === errors;
}
else {
var valid13 = true;
}
if(valid13){
if(data29.percent !== undefined){
let data31 = data29.percent;
const _errs79 = errors;
if(errors === _errs79){
if((typeof data31 == "number") && (isFinite(data31))){
if(data31 > 100 || isNaN(data31)){
const err60 = {instancePath:instancePath+"/record/reward_config/percent",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/reward_config/anyOf/0/properties/percent/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100}};
if(vErrors === null){
vErrors = [err60];
}
else {
vErrors.push(err60);
}
errors++;
}
else {
if(data31 <= 0 || isNaN(data31)){
const err61 = {instancePath:instancePath+"/record/reward_config/percent",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/reward_config/anyOf/0/properties/percent/exclusiveMinimum",keyword:"exclusiveMinimum",params:{comparison: ">", limit: 0}};
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
else {
const err62 = {instancePath:instancePath+"/record/reward_config/percent",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/reward_config/anyOf/0/properties/percent/type",keyword:"type",params:{type: "number"}};
if(vErrors === null){
vErrors = [err62];
}
else {
vErrors.push(err62);
}
errors++;
}
}
var valid13 = _errs79 === errors;
}
else {
var valid13 = true;
}
if(valid13){
if(data29.max_amount !== undefined){
let data32 = data29.max_amount;
const _errs81 = errors;
if(!(((typeof data32 == "number") && (!(data32 % 1) && !isNaN(data32))) && (isFinite(data32)))){
const err63 = {instancePath:instancePath+"/record/reward_config/max_amount",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/reward_config/anyOf/0/properties/max_amount/type",keyword:"type",params:{type: "integer"}};
if(vErrors === null){
vErrors = [err63];
}
else {
vErrors.push(err63);
}
errors++;
}
if(errors === _errs81){
if((typeof data32 == "number") && (isFinite(data32))){
if(data32 < 0 || isNaN(data32)){
const err64 = {instancePath:instancePath+"/record/reward_config/max_amount",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/reward_config/anyOf/0/properties/max_amount/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}};
if(vErrors === null){
vErrors = [err64];
}
else {
vErrors.push(err64);
}
errors++;
}
}
}
var valid13 = _errs81 === errors;
}
else {
var valid13 = true;
}
}
}
}
}
else {
const err65 = {instancePath:instancePath+"/record/reward_config",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/reward_config/anyOf/0/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err65];
}
else {
vErrors.push(err65);
}
errors++;
}
}
var _valid4 = _errs75 === errors;
valid12 = valid12 || _valid4;
if(!valid12){
const _errs83 = errors;
if(errors === _errs83){
if(data29 && typeof data29 == "object" && !Array.isArray(data29)){
let missing9;
if((((data29.type === undefined) && (missing9 = "type")) || ((data29.amount === undefined) && (missing9 = "amount"))) || ((data29.currency === undefined) && (missing9 = "currency"))){
const err66 = {instancePath:instancePath+"/record/reward_config",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/reward_config/anyOf/1/required",keyword:"required",params:{missingProperty: missing9}};
if(vErrors === null){
vErrors = [err66];
}
else {
vErrors.push(err66);
}
errors++;
}
else {
if(data29.type !== undefined){
let data33 = data29.type;
const _errs85 = errors;
if(typeof data33 !== "string"){
const err67 = {instancePath:instancePath+"/record/reward_config/type",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/reward_config/anyOf/1/properties/type/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err67];
}
else {
vErrors.push(err67);
}
errors++;
}
if("fixed" !== data33){
const err68 = {instancePath:instancePath+"/record/reward_config/type",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/reward_config/anyOf/1/properties/type/const",keyword:"const",params:{allowedValue: "fixed"}};
if(vErrors === null){
vErrors = [err68];
}
else {
vErrors.push(err68);
}
errors++;
}
var valid14 = _errs85 === errors;
}
else {
var valid14 = true;
}
if(valid14){
if(data29.amount !== undefined){
let data34 = data29.amount;
const _errs87 = errors;
if(!(((typeof data34 == "number") && (!(data34 % 1) && !isNaN(data34))) && (isFinite(data34)))){
const err69 = {instancePath:instancePath+"/record/reward_config/amount",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/reward_config/anyOf/1/properties/amount/type",keyword:"type",params:{type: "integer"}};
if(vErrors === null){
vErrors = [err69];
}
else {
vErrors.push(err69);
}
errors++;
}
if(errors === _errs87){
if((typeof data34 == "number") && (isFinite(data34))){
if(data34 < 0 || isNaN(data34)){
const err70 = {instancePath:instancePath+"/record/reward_config/amount",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/reward_config/anyOf/1/properties/amount/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}};
if(vErrors === null){
vErrors = [err70];
}
else {
vErrors.push(err70);
}
errors++;
}
}
}
var valid14 = _errs87 === errors;
}
else {
var valid14 = true;
}
if(valid14){
if(data29.currency !== undefined){
const _errs89 = errors;
if(typeof data29.currency !== "string"){
const err71 = {instancePath:instancePath+"/record/reward_config/currency",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/reward_config/anyOf/1/properties/currency/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err71];
}
else {
vErrors.push(err71);
}
errors++;
}
var valid14 = _errs89 === errors;
}
else {
var valid14 = true;
}
}
}
}
}
else {
const err72 = {instancePath:instancePath+"/record/reward_config",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/reward_config/anyOf/1/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err72];
}
else {
vErrors.push(err72);
}
errors++;
}
}
var _valid4 = _errs83 === errors;
valid12 = valid12 || _valid4;
}
if(!valid12){
const err73 = {instancePath:instancePath+"/record/reward_config",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/reward_config/anyOf",keyword:"anyOf",params:{}};
if(vErrors === null){
vErrors = [err73];
}
else {
vErrors.push(err73);
}
errors++;
}
else {
errors = _errs74;
if(vErrors !== null){
if(_errs74){
vErrors.length = _errs74;
}
else {
vErrors = null;
}
}
}
var valid11 = _errs73 === errors;
}
else {
var valid11 = true;
}
if(valid11){
if(data27.display_content !== undefined){
let data36 = data27.display_content;
const _errs91 = errors;
if(errors === _errs91){
if(data36 && typeof data36 == "object" && !Array.isArray(data36)){
let missing10;
if((((((data36.title === undefined) && (missing10 = "title")) || ((data36.image === undefined) && (missing10 = "image"))) || ((data36.summary === undefined) && (missing10 = "summary"))) || ((data36.description === undefined) && (missing10 = "description"))) || ((data36.terms === undefined) && (missing10 = "terms"))){
const err74 = {instancePath:instancePath+"/record/display_content",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/display_content/required",keyword:"required",params:{missingProperty: missing10}};
if(vErrors === null){
vErrors = [err74];
}
else {
vErrors.push(err74);
}
errors++;
}
else {
if(data36.title !== undefined){
const _errs93 = errors;
if(typeof data36.title !== "string"){
const err75 = {instancePath:instancePath+"/record/display_content/title",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/display_content/properties/title/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err75];
}
else {
vErrors.push(err75);
}
errors++;
}
var valid15 = _errs93 === errors;
}
else {
var valid15 = true;
}
if(valid15){
if(data36.image !== undefined){
const _errs95 = errors;
if(typeof data36.image !== "string"){
const err76 = {instancePath:instancePath+"/record/display_content/image",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/display_content/properties/image/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err76];
}
else {
vErrors.push(err76);
}
errors++;
}
var valid15 = _errs95 === errors;
}
else {
var valid15 = true;
}
if(valid15){
if(data36.logo !== undefined){
const _errs97 = errors;
if(typeof data36.logo !== "string"){
const err77 = {instancePath:instancePath+"/record/display_content/logo",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/display_content/properties/logo/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err77];
}
else {
vErrors.push(err77);
}
errors++;
}
var valid15 = _errs97 === errors;
}
else {
var valid15 = true;
}
if(valid15){
if(data36.summary !== undefined){
const _errs99 = errors;
if(typeof data36.summary !== "string"){
const err78 = {instancePath:instancePath+"/record/display_content/summary",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/display_content/properties/summary/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err78];
}
else {
vErrors.push(err78);
}
errors++;
}
var valid15 = _errs99 === errors;
}
else {
var valid15 = true;
}
if(valid15){
if(data36.description !== undefined){
const _errs101 = errors;
if(typeof data36.description !== "string"){
const err79 = {instancePath:instancePath+"/record/display_content/description",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/display_content/properties/description/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err79];
}
else {
vErrors.push(err79);
}
errors++;
}
var valid15 = _errs101 === errors;
}
else {
var valid15 = true;
}
if(valid15){
if(data36.terms !== undefined){
const _errs103 = errors;
if(typeof data36.terms !== "string"){
const err80 = {instancePath:instancePath+"/record/display_content/terms",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/display_content/properties/terms/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err80];
}
else {
vErrors.push(err80);
}
errors++;
}
var valid15 = _errs103 === errors;
}
else {
var valid15 = true;
}
if(valid15){
if(data36.reward !== undefined){
let data43 = data36.reward;
const _errs105 = errors;
if(errors === _errs105){
if(data43 && typeof data43 == "object" && !Array.isArray(data43)){
let missing11;
if((data43.formatted === undefined) && (missing11 = "formatted")){
const err81 = {instancePath:instancePath+"/record/display_content/reward",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/display_content/properties/reward/required",keyword:"required",params:{missingProperty: missing11}};
if(vErrors === null){
vErrors = [err81];
}
else {
vErrors.push(err81);
}
errors++;
}
else {
if(data43.formatted !== undefined){
if(typeof data43.formatted !== "string"){
const err82 = {instancePath:instancePath+"/record/display_content/reward/formatted",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/display_content/properties/reward/properties/formatted/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err82];
}
else {
vErrors.push(err82);
}
errors++;
}
}
}
}
else {
const err83 = {instancePath:instancePath+"/record/display_content/reward",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/display_content/properties/reward/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err83];
}
else {
vErrors.push(err83);
}
errors++;
}
}
var valid15 = _errs105 === errors;
}
else {
var valid15 = true;
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
const err84 = {instancePath:instancePath+"/record/display_content",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/display_content/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err84];
}
else {
vErrors.push(err84);
}
errors++;
}
}
var valid11 = _errs91 === errors;
}
else {
var valid11 = true;
}
if(valid11){
if(data27.starts_at !== undefined){
let data45 = data27.starts_at;
const _errs109 = errors;
if(errors === _errs109){
if(errors === _errs109){
if(typeof data45 === "string"){
if(!(formats2(data45))){
const err85 = {instancePath:instancePath+"/record/starts_at",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/starts_at/format",keyword:"format",params:{format: "timestamp"}};
if(vErrors === null){
vErrors = [err85];
}
else {
vErrors.push(err85);
}
errors++;
}
}
else {
const err86 = {instancePath:instancePath+"/record/starts_at",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/starts_at/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err86];
}
else {
vErrors.push(err86);
}
errors++;
}
}
}
var valid11 = _errs109 === errors;
}
else {
var valid11 = true;
}
if(valid11){
if(data27.ends_at !== undefined){
let data46 = data27.ends_at;
const _errs111 = errors;
if(errors === _errs111){
if(errors === _errs111){
if(typeof data46 === "string"){
if(!(formats2(data46))){
const err87 = {instancePath:instancePath+"/record/ends_at",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/ends_at/format",keyword:"format",params:{format: "timestamp"}};
if(vErrors === null){
vErrors = [err87];
}
else {
vErrors.push(err87);
}
errors++;
}
}
else {
const err88 = {instancePath:instancePath+"/record/ends_at",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/ends_at/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err88];
}
else {
vErrors.push(err88);
}
errors++;
}
}
}
var valid11 = _errs111 === errors;
}
else {
var valid11 = true;
}
if(valid11){
if(data27.created_at !== undefined){
let data47 = data27.created_at;
const _errs113 = errors;
if(errors === _errs113){
if(errors === _errs113){
if(typeof data47 === "string"){
if(!(formats2(data47))){
const err89 = {instancePath:instancePath+"/record/created_at",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/created_at/format",keyword:"format",params:{format: "timestamp"}};
if(vErrors === null){
vErrors = [err89];
}
else {
vErrors.push(err89);
}
errors++;
}
}
else {
const err90 = {instancePath:instancePath+"/record/created_at",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/created_at/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err90];
}
else {
vErrors.push(err90);
}
errors++;
}
}
}
var valid11 = _errs113 === errors;
}
else {
var valid11 = true;
}
if(valid11){
if(data27.updated_at !== undefined){
let data48 = data27.updated_at;
const _errs115 = errors;
if(errors === _errs115){
if(errors === _errs115){
if(typeof data48 === "string"){
if(!(formats2(data48))){
const err91 = {instancePath:instancePath+"/record/updated_at",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/updated_at/format",keyword:"format",params:{format: "timestamp"}};
if(vErrors === null){
vErrors = [err91];
}
else {
vErrors.push(err91);
}
errors++;
}
}
else {
const err92 = {instancePath:instancePath+"/record/updated_at",schemaPath:"#/anyOf/1/properties/record/anyOf/0/properties/updated_at/type",keyword:"type",params:{type: "string"}};
if(vErrors === null){
vErrors = [err92];
}
else {
vErrors.push(err92);
}
errors++;
}
}
}
var valid11 = _errs115 === errors;
}
else {
var valid11 = true;
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
const err93 = {instancePath:instancePath+"/record",schemaPath:"#/anyOf/1/properties/record/anyOf/0/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err93];
}
else {
vErrors.push(err93);
}
errors++;
}
}
var _valid3 = _errs69 === errors;
valid10 = valid10 || _valid3;
if(!valid10){
const _errs117 = errors;
if(data27 !== null){
const err94 = {instancePath:instancePath+"/record",schemaPath:"#/anyOf/1/properties/record/anyOf/1/type",keyword:"type",params:{type: "null"}};
if(vErrors === null){
vErrors = [err94];
}
else {
vErrors.push(err94);
}
errors++;
}
var _valid3 = _errs117 === errors;
valid10 = valid10 || _valid3;
}
if(!valid10){
const err95 = {instancePath:instancePath+"/record",schemaPath:"#/anyOf/1/properties/record/anyOf",keyword:"anyOf",params:{}};
if(vErrors === null){
vErrors = [err95];
}
else {
vErrors.push(err95);
}
errors++;
}
else {
errors = _errs68;
if(vErrors !== null){
if(_errs68){
vErrors.length = _errs68;
}
else {
vErrors = null;
}
}
}
var valid9 = _errs67 === errors;
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
else {
const err96 = {instancePath,schemaPath:"#/anyOf/1/type",keyword:"type",params:{type: "object"}};
if(vErrors === null){
vErrors = [err96];
}
else {
vErrors.push(err96);
}
errors++;
}
}
var _valid0 = _errs57 === errors;
valid0 = valid0 || _valid0;
}
if(!valid0){
const err97 = {instancePath,schemaPath:"#/anyOf",keyword:"anyOf",params:{}};
if(vErrors === null){
vErrors = [err97];
}
else {
vErrors.push(err97);
}
errors++;
validate69.errors = vErrors;
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
validate69.errors = vErrors;
return errors === 0;
}

export interface Validator {
  (body: unknown): boolean;
  errors?: readonly SchemaViolation[] | null;
}

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
  "transaction.batch/get": validate_transaction_batch_get,
  "transaction/list": validate_transaction_list,
  "transaction/get": validate_transaction_get,
  "transaction/ingest": validate_transaction_ingest,
  "loyalty-program/list": validate_loyalty_program_list,
  "loyalty-program/get": validate_loyalty_program_get,
  "deal/list": validate_deal_list,
  "deal/get": validate_deal_get,
  "wallet.stamp-collection/create": validate_wallet_stamp_collection_create,
  "wallet.stamp-collection/get": validate_wallet_stamp_collection_get,
  "wallet.stamp-collection/list": validate_wallet_stamp_collection_list,
  "wallet.clip/save": validate_wallet_clip_save,
  "wallet.clip/list": validate_wallet_clip_list,
  "wallet.cashback/list": validate_wallet_cashback_list,
  "webhook/create": validate_webhook_create,
  "webhook/get": validate_webhook_get,
  "webhook/list": validate_webhook_list,
  "webhook/update": validate_webhook_update,
  "webhook/delete": validate_webhook_delete,
  "webhook/rotate-secret": validate_webhook_rotate_secret,
};

/** The compiled validator of every stream message that another system writes. */
export const MESSAGE_VALIDATORS: Readonly<Record<MessageName, Validator>> = {
  "config": validate_message_config,
};
