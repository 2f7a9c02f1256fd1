// Generated from the schemas of the route table by `npm run generate`. Do not edit.
// biome-ignore-all lint: generated
// @ts-nocheck
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
const schema16 = {"type":"object","properties":{"pagination":{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":1000},"cursor":{"type":["string","null"],"maxLength":1024},"skip":{"type":"integer","minimum":0,"maximum":100000}},"additionalProperties":false}},"additionalProperties":false};

function validate15(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "pagination")){
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

export const validate_member_bulk_upsert = validate16;
const schema17 = {"type":"object","required":["member_base_id","members"],"properties":{"member_base_id":{"type":"string"},"members":{"type":"array","items":{"type":"object","required":["ref"],"properties":{"ref":{"type":"string","minLength":1,"maxLength":256,"format":"printable"},"attributes":{"type":"object","maxProperties":64,"propertyNames":{"type":"string","minLength":1,"maxLength":256,"format":"printable"},"additionalProperties":{"type":["string","number","boolean","null","array"],"format":"storable","items":{"type":"string","format":"storable"}}}},"additionalProperties":false},"minItems":1,"maxItems":5000}},"additionalProperties":false};

function validate16(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.member_base_id === undefined) && (missing0 = "member_base_id")) || ((data.members === undefined) && (missing0 = "members"))){
validate16.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "member_base_id") || (key0 === "members"))){
validate16.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.member_base_id !== undefined){
const _errs2 = errors;
if(typeof data.member_base_id !== "string"){
validate16.errors = [{instancePath:instancePath+"/member_base_id",schemaPath:"#/properties/member_base_id/type",keyword:"type",params:{type: "string"}}];
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
validate16.errors = [{instancePath:instancePath+"/members",schemaPath:"#/properties/members/maxItems",keyword:"maxItems",params:{limit: 5000}}];
return false;
}
else {
if(data1.length < 1){
validate16.errors = [{instancePath:instancePath+"/members",schemaPath:"#/properties/members/minItems",keyword:"minItems",params:{limit: 1}}];
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
validate16.errors = [{instancePath:instancePath+"/members/" + i0,schemaPath:"#/properties/members/items/required",keyword:"required",params:{missingProperty: missing1}}];
return false;
}
else {
const _errs8 = errors;
for(const key1 in data2){
if(!((key1 === "ref") || (key1 === "attributes"))){
validate16.errors = [{instancePath:instancePath+"/members/" + i0,schemaPath:"#/properties/members/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
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
validate16.errors = [{instancePath:instancePath+"/members/" + i0+"/ref",schemaPath:"#/properties/members/items/properties/ref/maxLength",keyword:"maxLength",params:{limit: 256}}];
return false;
}
else {
if(func2(data3) < 1){
validate16.errors = [{instancePath:instancePath+"/members/" + i0+"/ref",schemaPath:"#/properties/members/items/properties/ref/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats4(data3))){
validate16.errors = [{instancePath:instancePath+"/members/" + i0+"/ref",schemaPath:"#/properties/members/items/properties/ref/format",keyword:"format",params:{format: "printable"}}];
return false;
}
}
}
}
else {
validate16.errors = [{instancePath:instancePath+"/members/" + i0+"/ref",schemaPath:"#/properties/members/items/properties/ref/type",keyword:"type",params:{type: "string"}}];
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
validate16.errors = [{instancePath:instancePath+"/members/" + i0+"/attributes",schemaPath:"#/properties/members/items/properties/attributes/maxProperties",keyword:"maxProperties",params:{limit: 64}}];
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
validate16.errors = vErrors;
return false;
break;
}
}
if(valid3){
for(const key3 in data4){
let data5 = data4[key3];
const _errs16 = errors;
if(((((typeof data5 !== "string") && (!((typeof data5 == "number") && (isFinite(data5))))) && (typeof data5 !== "boolean")) && (data5 !== null)) && (!(Array.isArray(data5)))){
validate16.errors = [{instancePath:instancePath+"/members/" + i0+"/attributes/" + key3.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/members/items/properties/attributes/additionalProperties/type",keyword:"type",params:{type: schema17.properties.members.items.properties.attributes.additionalProperties.type}}];
return false;
}
if(errors === _errs16){
if(errors === _errs16){
if(typeof data5 === "string"){
if(!(formats0(data5))){
validate16.errors = [{instancePath:instancePath+"/members/" + i0+"/attributes/" + key3.replace(/~/g, "~0").replace(/\//g, "~1"),schemaPath:"#/properties/members/items/properties/attributes/additionalProperties/format",keyword:"format",params:{format: "storable"}}];
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
validate16.errors = [{instancePath:instancePath+"/members/" + i0+"/attributes/" + key3.replace(/~/g, "~0").replace(/\//g, "~1")+"/" + i1,schemaPath:"#/properties/members/items/properties/attributes/additionalProperties/items/format",keyword:"format",params:{format: "storable"}}];
return false;
}
}
else {
validate16.errors = [{instancePath:instancePath+"/members/" + i0+"/attributes/" + key3.replace(/~/g, "~0").replace(/\//g, "~1")+"/" + i1,schemaPath:"#/properties/members/items/properties/attributes/additionalProperties/items/type",keyword:"type",params:{type: "string"}}];
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
validate16.errors = [{instancePath:instancePath+"/members/" + i0+"/attributes",schemaPath:"#/properties/members/items/properties/attributes/type",keyword:"type",params:{type: "object"}}];
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
validate16.errors = [{instancePath:instancePath+"/members/" + i0,schemaPath:"#/properties/members/items/type",keyword:"type",params:{type: "object"}}];
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
validate16.errors = [{instancePath:instancePath+"/members",schemaPath:"#/properties/members/type",keyword:"type",params:{type: "array"}}];
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
validate16.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate16.errors = vErrors;
return errors === 0;
}

export const validate_member_get = validate17;
const schema18 = {"type":"object","additionalProperties":false,"properties":{"id":{"type":"string"},"member_base_id":{"type":"string"},"ref":{"type":"string","minLength":1,"maxLength":256,"format":"printable"}},"oneOf":[{"required":["id"],"maxProperties":1},{"required":["member_base_id","ref"],"maxProperties":2}]};

function validate17(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
const _errs1 = errors;
let valid0 = false;
let passing0 = null;
const _errs2 = errors;
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
var _valid0 = _errs2 === errors;
if(_valid0){
valid0 = true;
passing0 = 0;
}
const _errs3 = errors;
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
var _valid0 = _errs3 === errors;
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
const err4 = {instancePath,schemaPath:"#/oneOf",keyword:"oneOf",params:{passingSchemas: passing0}};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
validate17.errors = vErrors;
return false;
}
else {
errors = _errs1;
if(vErrors !== null){
if(_errs1){
vErrors.length = _errs1;
}
else {
vErrors = null;
}
}
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs4 = errors;
for(const key0 in data){
if(!(((key0 === "id") || (key0 === "member_base_id")) || (key0 === "ref"))){
validate17.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs4 === errors){
if(data.id !== undefined){
const _errs5 = errors;
if(typeof data.id !== "string"){
validate17.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid1 = _errs5 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.member_base_id !== undefined){
const _errs7 = errors;
if(typeof data.member_base_id !== "string"){
validate17.errors = [{instancePath:instancePath+"/member_base_id",schemaPath:"#/properties/member_base_id/type",keyword:"type",params:{type: "string"}}];
return false;
}
var valid1 = _errs7 === errors;
}
else {
var valid1 = true;
}
if(valid1){
if(data.ref !== undefined){
let data2 = data.ref;
const _errs9 = errors;
if(errors === _errs9){
if(errors === _errs9){
if(typeof data2 === "string"){
if(func2(data2) > 256){
validate17.errors = [{instancePath:instancePath+"/ref",schemaPath:"#/properties/ref/maxLength",keyword:"maxLength",params:{limit: 256}}];
return false;
}
else {
if(func2(data2) < 1){
validate17.errors = [{instancePath:instancePath+"/ref",schemaPath:"#/properties/ref/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats4(data2))){
validate17.errors = [{instancePath:instancePath+"/ref",schemaPath:"#/properties/ref/format",keyword:"format",params:{format: "printable"}}];
return false;
}
}
}
}
else {
validate17.errors = [{instancePath:instancePath+"/ref",schemaPath:"#/properties/ref/type",keyword:"type",params:{type: "string"}}];
return false;
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
validate17.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate17.errors = vErrors;
return errors === 0;
}

export const validate_transaction_batch_get = validate18;
const schema19 = {"type":"object","required":["id"],"properties":{"id":{"type":"string"}},"additionalProperties":false};

function validate18(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.id === undefined) && (missing0 = "id")){
validate18.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "id")){
validate18.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.id !== undefined){
if(typeof data.id !== "string"){
validate18.errors = [{instancePath:instancePath+"/id",schemaPath:"#/properties/id/type",keyword:"type",params:{type: "string"}}];
return false;
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

export const validate_transaction_list = validate19;
const schema20 = {"type":"object","required":["member_id"],"properties":{"member_id":{"type":"string"},"pagination":{"type":"object","properties":{"limit":{"type":"integer","minimum":1,"maximum":1000},"cursor":{"type":["string","null"],"maxLength":1024},"skip":{"type":"integer","minimum":0,"maximum":100000}},"additionalProperties":false}},"additionalProperties":false};

function validate19(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.member_id === undefined) && (missing0 = "member_id")){
validate19.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((key0 === "member_id") || (key0 === "pagination"))){
validate19.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.member_id !== undefined){
const _errs2 = errors;
if(typeof data.member_id !== "string"){
validate19.errors = [{instancePath:instancePath+"/member_id",schemaPath:"#/properties/member_id/type",keyword:"type",params:{type: "string"}}];
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
validate19.errors = [{instancePath:instancePath+"/pagination",schemaPath:"#/properties/pagination/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
return false;
break;
}
}
if(_errs6 === errors){
if(data1.limit !== undefined){
let data2 = data1.limit;
const _errs7 = errors;
if(!(((typeof data2 == "number") && (!(data2 % 1) && !isNaN(data2))) && (isFinite(data2)))){
validate19.errors = [{instancePath:instancePath+"/pagination/limit",schemaPath:"#/properties/pagination/properties/limit/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs7){
if((typeof data2 == "number") && (isFinite(data2))){
if(data2 > 1000 || isNaN(data2)){
validate19.errors = [{instancePath:instancePath+"/pagination/limit",schemaPath:"#/properties/pagination/properties/limit/maximum",keyword:"maximum",params:{comparison: "<=", limit: 1000}}];
return false;
}
else {
if(data2 < 1 || isNaN(data2)){
validate19.errors = [{instancePath:instancePath+"/pagination/limit",schemaPath:"#/properties/pagination/properties/limit/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1}}];
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
validate19.errors = [{instancePath:instancePath+"/pagination/cursor",schemaPath:"#/properties/pagination/properties/cursor/type",keyword:"type",params:{type: schema20.properties.pagination.properties.cursor.type}}];
return false;
}
if(errors === _errs9){
if(typeof data3 === "string"){
if(func2(data3) > 1024){
validate19.errors = [{instancePath:instancePath+"/pagination/cursor",schemaPath:"#/properties/pagination/properties/cursor/maxLength",keyword:"maxLength",params:{limit: 1024}}];
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
validate19.errors = [{instancePath:instancePath+"/pagination/skip",schemaPath:"#/properties/pagination/properties/skip/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs11){
if((typeof data4 == "number") && (isFinite(data4))){
if(data4 > 100000 || isNaN(data4)){
validate19.errors = [{instancePath:instancePath+"/pagination/skip",schemaPath:"#/properties/pagination/properties/skip/maximum",keyword:"maximum",params:{comparison: "<=", limit: 100000}}];
return false;
}
else {
if(data4 < 0 || isNaN(data4)){
validate19.errors = [{instancePath:instancePath+"/pagination/skip",schemaPath:"#/properties/pagination/properties/skip/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}}];
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
validate19.errors = [{instancePath:instancePath+"/pagination",schemaPath:"#/properties/pagination/type",keyword:"type",params:{type: "object"}}];
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
validate19.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate19.errors = vErrors;
return errors === 0;
}

export const validate_transaction_get = validate20;
const schema21 = {"type":"object","required":["external_id"],"properties":{"external_id":{"type":"string","minLength":1,"maxLength":128,"format":"printable"}},"additionalProperties":false};

function validate20(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.external_id === undefined) && (missing0 = "external_id")){
validate20.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "external_id")){
validate20.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
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
validate20.errors = [{instancePath:instancePath+"/external_id",schemaPath:"#/properties/external_id/maxLength",keyword:"maxLength",params:{limit: 128}}];
return false;
}
else {
if(func2(data0) < 1){
validate20.errors = [{instancePath:instancePath+"/external_id",schemaPath:"#/properties/external_id/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats4(data0))){
validate20.errors = [{instancePath:instancePath+"/external_id",schemaPath:"#/properties/external_id/format",keyword:"format",params:{format: "printable"}}];
return false;
}
}
}
}
else {
validate20.errors = [{instancePath:instancePath+"/external_id",schemaPath:"#/properties/external_id/type",keyword:"type",params:{type: "string"}}];
return false;
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

export const validate_transaction_ingest = validate21;
const schema22 = {"type":"object","required":["events"],"properties":{"events":{"type":"array","items":{"type":"object","required":["member_id","external_id","auth_code","network","bin","merchant_id","authed_at"],"properties":{"member_id":{"type":"string"},"external_id":{"type":"string","minLength":1,"maxLength":128,"format":"printable"},"auth_code":{"type":"string","minLength":1,"maxLength":32,"format":"card-free"},"network":{"enum":["visa","mastercard","amex","other"]},"bin":{"type":"string","pattern":"^[0-9]{6,8}$"},"merchant_id":{"type":"string","minLength":1,"maxLength":64,"format":"printable"},"statement_descriptor":{"type":"string","maxLength":128,"format":"card-free"},"amount":{"type":"integer","minimum":0,"maximum":9007199254740991},"currency":{"type":"string","format":"currency"},"authed_at":{"type":"string","format":"timestamp"},"cleared_at":{"type":"string","format":"timestamp"},"reverted_at":{"type":"string","format":"timestamp"}},"additionalProperties":false,"not":{"type":"object","required":["cleared_at","reverted_at"]}},"minItems":1,"maxItems":5000}},"additionalProperties":false};
const func16 = Object.prototype.hasOwnProperty;
const formats20 = FORMAT_TESTS["card-free"];
const formats26 = FORMAT_TESTS.currency;
const pattern0 = new RegExp("^[0-9]{6,8}$", "u");

function validate21(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.events === undefined) && (missing0 = "events")){
validate21.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "events")){
validate21.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
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
validate21.errors = [{instancePath:instancePath+"/events",schemaPath:"#/properties/events/maxItems",keyword:"maxItems",params:{limit: 5000}}];
return false;
}
else {
if(data0.length < 1){
validate21.errors = [{instancePath:instancePath+"/events",schemaPath:"#/properties/events/minItems",keyword:"minItems",params:{limit: 1}}];
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
validate21.errors = [{instancePath:instancePath+"/events/" + i0,schemaPath:"#/properties/events/items/not",keyword:"not",params:{}}];
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
validate21.errors = [{instancePath:instancePath+"/events/" + i0,schemaPath:"#/properties/events/items/required",keyword:"required",params:{missingProperty: missing2}}];
return false;
}
else {
const _errs9 = errors;
for(const key1 in data1){
if(!(func16.call(schema22.properties.events.items.properties, key1))){
validate21.errors = [{instancePath:instancePath+"/events/" + i0,schemaPath:"#/properties/events/items/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
return false;
break;
}
}
if(_errs9 === errors){
if(data1.member_id !== undefined){
const _errs10 = errors;
if(typeof data1.member_id !== "string"){
validate21.errors = [{instancePath:instancePath+"/events/" + i0+"/member_id",schemaPath:"#/properties/events/items/properties/member_id/type",keyword:"type",params:{type: "string"}}];
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
validate21.errors = [{instancePath:instancePath+"/events/" + i0+"/external_id",schemaPath:"#/properties/events/items/properties/external_id/maxLength",keyword:"maxLength",params:{limit: 128}}];
return false;
}
else {
if(func2(data3) < 1){
validate21.errors = [{instancePath:instancePath+"/events/" + i0+"/external_id",schemaPath:"#/properties/events/items/properties/external_id/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats4(data3))){
validate21.errors = [{instancePath:instancePath+"/events/" + i0+"/external_id",schemaPath:"#/properties/events/items/properties/external_id/format",keyword:"format",params:{format: "printable"}}];
return false;
}
}
}
}
else {
validate21.errors = [{instancePath:instancePath+"/events/" + i0+"/external_id",schemaPath:"#/properties/events/items/properties/external_id/type",keyword:"type",params:{type: "string"}}];
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
validate21.errors = [{instancePath:instancePath+"/events/" + i0+"/auth_code",schemaPath:"#/properties/events/items/properties/auth_code/maxLength",keyword:"maxLength",params:{limit: 32}}];
return false;
}
else {
if(func2(data4) < 1){
validate21.errors = [{instancePath:instancePath+"/events/" + i0+"/auth_code",schemaPath:"#/properties/events/items/properties/auth_code/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats20(data4))){
validate21.errors = [{instancePath:instancePath+"/events/" + i0+"/auth_code",schemaPath:"#/properties/events/items/properties/auth_code/format",keyword:"format",params:{format: "card-free"}}];
return false;
}
}
}
}
else {
validate21.errors = [{instancePath:instancePath+"/events/" + i0+"/auth_code",schemaPath:"#/properties/events/items/properties/auth_code/type",keyword:"type",params:{type: "string"}}];
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
validate21.errors = [{instancePath:instancePath+"/events/" + i0+"/network",schemaPath:"#/properties/events/items/properties/network/enum",keyword:"enum",params:{allowedValues: schema22.properties.events.items.properties.network.enum}}];
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
validate21.errors = [{instancePath:instancePath+"/events/" + i0+"/bin",schemaPath:"#/properties/events/items/properties/bin/pattern",keyword:"pattern",params:{pattern: "^[0-9]{6,8}$"}}];
return false;
}
}
else {
validate21.errors = [{instancePath:instancePath+"/events/" + i0+"/bin",schemaPath:"#/properties/events/items/properties/bin/type",keyword:"type",params:{type: "string"}}];
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
validate21.errors = [{instancePath:instancePath+"/events/" + i0+"/merchant_id",schemaPath:"#/properties/events/items/properties/merchant_id/maxLength",keyword:"maxLength",params:{limit: 64}}];
return false;
}
else {
if(func2(data7) < 1){
validate21.errors = [{instancePath:instancePath+"/events/" + i0+"/merchant_id",schemaPath:"#/properties/events/items/properties/merchant_id/minLength",keyword:"minLength",params:{limit: 1}}];
return false;
}
else {
if(!(formats4(data7))){
validate21.errors = [{instancePath:instancePath+"/events/" + i0+"/merchant_id",schemaPath:"#/properties/events/items/properties/merchant_id/format",keyword:"format",params:{format: "printable"}}];
return false;
}
}
}
}
else {
validate21.errors = [{instancePath:instancePath+"/events/" + i0+"/merchant_id",schemaPath:"#/properties/events/items/properties/merchant_id/type",keyword:"type",params:{type: "string"}}];
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
validate21.errors = [{instancePath:instancePath+"/events/" + i0+"/statement_descriptor",schemaPath:"#/properties/events/items/properties/statement_descriptor/maxLength",keyword:"maxLength",params:{limit: 128}}];
return false;
}
else {
if(!(formats20(data8))){
validate21.errors = [{instancePath:instancePath+"/events/" + i0+"/statement_descriptor",schemaPath:"#/properties/events/items/properties/statement_descriptor/format",keyword:"format",params:{format: "card-free"}}];
return false;
}
}
}
else {
validate21.errors = [{instancePath:instancePath+"/events/" + i0+"/statement_descriptor",schemaPath:"#/properties/events/items/properties/statement_descriptor/type",keyword:"type",params:{type: "string"}}];
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
validate21.errors = [{instancePath:instancePath+"/events/" + i0+"/amount",schemaPath:"#/properties/events/items/properties/amount/type",keyword:"type",params:{type: "integer"}}];
return false;
}
if(errors === _errs23){
if((typeof data9 == "number") && (isFinite(data9))){
if(data9 > 9007199254740991 || isNaN(data9)){
validate21.errors = [{instancePath:instancePath+"/events/" + i0+"/amount",schemaPath:"#/properties/events/items/properties/amount/maximum",keyword:"maximum",params:{comparison: "<=", limit: 9007199254740991}}];
return false;
}
else {
if(data9 < 0 || isNaN(data9)){
validate21.errors = [{instancePath:instancePath+"/events/" + i0+"/amount",schemaPath:"#/properties/events/items/properties/amount/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0}}];
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
if(!(formats26(data10))){
validate21.errors = [{instancePath:instancePath+"/events/" + i0+"/currency",schemaPath:"#/properties/events/items/properties/currency/format",keyword:"format",params:{format: "currency"}}];
return false;
}
}
else {
validate21.errors = [{instancePath:instancePath+"/events/" + i0+"/currency",schemaPath:"#/properties/events/items/properties/currency/type",keyword:"type",params:{type: "string"}}];
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
validate21.errors = [{instancePath:instancePath+"/events/" + i0+"/authed_at",schemaPath:"#/properties/events/items/properties/authed_at/format",keyword:"format",params:{format: "timestamp"}}];
return false;
}
}
else {
validate21.errors = [{instancePath:instancePath+"/events/" + i0+"/authed_at",schemaPath:"#/properties/events/items/properties/authed_at/type",keyword:"type",params:{type: "string"}}];
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
validate21.errors = [{instancePath:instancePath+"/events/" + i0+"/cleared_at",schemaPath:"#/properties/events/items/properties/cleared_at/format",keyword:"format",params:{format: "timestamp"}}];
return false;
}
}
else {
validate21.errors = [{instancePath:instancePath+"/events/" + i0+"/cleared_at",schemaPath:"#/properties/events/items/properties/cleared_at/type",keyword:"type",params:{type: "string"}}];
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
validate21.errors = [{instancePath:instancePath+"/events/" + i0+"/reverted_at",schemaPath:"#/properties/events/items/properties/reverted_at/format",keyword:"format",params:{format: "timestamp"}}];
return false;
}
}
else {
validate21.errors = [{instancePath:instancePath+"/events/" + i0+"/reverted_at",schemaPath:"#/properties/events/items/properties/reverted_at/type",keyword:"type",params:{type: "string"}}];
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
validate21.errors = [{instancePath:instancePath+"/events/" + i0,schemaPath:"#/properties/events/items/type",keyword:"type",params:{type: "object"}}];
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
validate21.errors = [{instancePath:instancePath+"/events",schemaPath:"#/properties/events/type",keyword:"type",params:{type: "array"}}];
return false;
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
  "member/bulk-upsert": validate_member_bulk_upsert,
  "member/get": validate_member_get,
  "transaction.batch/get": validate_transaction_batch_get,
  "transaction/list": validate_transaction_list,
  "transaction/get": validate_transaction_get,
  "transaction/ingest": validate_transaction_ingest,
};
