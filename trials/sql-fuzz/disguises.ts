// Statements that mean the same but look different.

export function disguised(query: string, random: (below: number) => number): string {
  const ways: ((text: string) => string)[] = [
    (text) => text.toUpperCase(),
    (text) => text.replace(/[a-z]/g, (letter) => (random(2) === 0 ? letter : letter.toUpperCase())),
    (text) => `/* harmless */ ${text}`,
    (text) => `-- select 1\n${text}`,
    (text) => text.replaceAll(" ", () => (random(3) === 0 ? "/**/ " : " ")),
    (text) => text.replaceAll(" ", () => (random(3) === 0 ? "\n\t" : " ")),
    (text) => `${text};`,
    (text) => `${text}; --`,
    (text) => `;;${text}`,
    (text) => `select 1; ${text}`,
    (text) => `(${text})`,
    (text) => `explain ${text}`,
    (text) => `with c as (select 1) ${text}`,
    (text) => `select * from (${text}) s`,
    (text) => `select 1 union all (${text})`,
    (text) => text.replace(/\b([a-z_]+)\(/, '"$1"('),
    (text) => text.replaceAll("'", "$$"),
    (text) => `\ufeff${text}`,
  ];
  return ways[random(ways.length)]?.(query) ?? query;
}
