// Tests that a document names: `` `server/src/x.spec.ts`: its title ``, ended by `<br>`, by the table's cell or by the line.

const named = /`([\w./-]+\.(?:spec|e2e)\.tsx?)`(?:: (.*?)(?=\s*(?:<br>|(?<!\\)\||$)))?/gm

/**
 * @param {string} text of a Markdown document
 * @returns {{ file: string, title: string | null, line: number }[]} `title`: null where a file stands alone
 */
export const namedTests = (text) =>
  [...text.matchAll(named)].map(({ 1: file = '', 2: title, index }) => ({
    file,
    title: title?.replaceAll('\\|', '|') ?? null,
    line: text.slice(0, index).split('\n').length,
  }))
