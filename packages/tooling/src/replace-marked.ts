/** `text` with this content between the marks of a name; undefined if it has no such marks. */
export function replaceMarked(text: string, name: string, content: string): string | undefined {
  const begin = text.indexOf(`<!-- ${name}: made by \`npm run generate\``);
  const end = text.indexOf(`<!-- ${name} end -->`);
  if (begin < 0 || end < begin) return undefined;
  return `${text.slice(0, text.indexOf("\n", begin))}\n${content}\n${text.slice(end)}`;
}
