import t from "tap";
import { findRepeatedKey, shapeOf } from "./repeated-key.ts";

const find = (text: string) => {
  const bytes = Buffer.from(text);
  return findRepeatedKey(bytes, shapeOf(bytes, 64), JSON.parse(text));
};

t.test("repeated key - is found at any depth, and pointed at", async (t) => {
  const found: Array<[text: string, path: string]> = [
    ['{"a":1,"a":1}', "/a"],
    ['{"a":1,"b":[{"c":1},{"c":1,"d":{},"c":2}]}', "/b/1/c"],
    ['{"a":{"x":1},"b":{"x":1,"\\u0078":2}}', "/b/x"],
    ['{"a/b~":1,"a\\/b~":2}', "/a~1b~0"],
    ['{"":1,"":2}', "/"],
    ['{"__proto__":1,"__proto__":2}', "/__proto__"],
    ['[ 1 , {"é":1 , "\\u00e9" : [2,3]} ]', "/1/é"],
    ['{"a":{"deep":[[[{"b":1},2,{"b":{"c":3,"c":4}}]]]}}', "/a/deep/0/0/2/b/c"],
    ['{"a":{"b":1,"c":2},"a":3}', "/a"],
  ];
  for (const [text, path] of found) t.equal(find(text), path, text);
});

t.test("repeated key - after a string of millions of escapes", async (t) => {
  const text = "\\n".repeat(4_000_000);
  t.equal(find(`{"a":{"b":"${text}","b":1}}`), "/a/b");
});

t.test("repeated key - none where keys only look alike, or stand in texts", async (t) => {
  for (const text of [
    "{}",
    "null",
    '":"',
    '{"a":"b:c\\":\\"d","b":"\\\\","c":":"}',
    '[{"a":1},{"a":1}]',
    '{"a":{"a":{"a":"a"}}}',
    '{"__proto__":{"a":1},"constructor":{"a":1}}',
    '{"é":1,"e\u0301":2}',
    '{"a":["{","}",",","\\"a\\":1"]}',
  ]) {
    t.equal(find(text), undefined, text);
  }
});

t.test("shape - the depth of objects and arrays outside strings, up to the bound", async (t) => {
  const depthOf = (text: string) => shapeOf(Buffer.from(text), 64).depth;
  t.equal(depthOf("1"), 0);
  t.equal(depthOf('{"a":[{"b":[]},[[]]]}'), 4);
  t.equal(depthOf(`["${"[".repeat(100)}","\\"[{[{"]`), 1, "a string is not looked into");
  t.equal(depthOf("[],".repeat(1000)), 1);
  t.equal(depthOf(`${"[".repeat(64)}${"]".repeat(64)}`), 64);
  t.equal(depthOf('{"a":'.repeat(65)), 65);
  t.equal(depthOf("[".repeat(4_000_000)), 65, "it looks no further");
});
