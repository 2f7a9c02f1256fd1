/** `member-base/list` → `MemberBaseList`; any character but letters and digits ends a word. */
export function pascalCase(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  return words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
}
