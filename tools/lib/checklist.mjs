import { readText } from './repository.mjs'

/** @typedef {{ id: string, kind: string, area: string, side: string, text: string, source: string }} Item */

const checklistFile = 'docs/behaviour.tsv'
const openFile = 'docs/behaviour-open.tsv'

const columns = ['id', 'kind', 'area', 'side', 'text', 'source']

/**
 * @param {string} text of the checklist
 * @returns {Map<string, Item>}
 */
export function readChecklist(text = readText(checklistFile)) {
  const [head = '', ...rows] = text.split('\n').filter(Boolean)
  if (head !== columns.join('\t')) throw new Error(`${checklistFile} must start with the columns ${columns.join(', ')}`)
  const items = rows.map((row, index) => {
    const cells = row.split('\t')
    if (cells.length !== columns.length) throw new Error(`${checklistFile}:${index + 2} has ${cells.length} cells`)
    return /** @type {Item} */ (Object.fromEntries(columns.map((name, column) => [name, cells[column]])))
  })
  const found = new Map(items.map((item) => [item.id, item]))
  if (found.size !== items.length) throw new Error(`${checklistFile} contains an ID twice`)
  if (found.size === 0) throw new Error(`${checklistFile} is empty`)
  return found
}

/**
 * Reads the items that have no test yet, and the reasons.
 *
 * @param {string} [text] of docs/behaviour-open.tsv
 * @returns {Map<string, string>} id to reason
 */
export function readOpenItems(text = readText(openFile)) {
  const rows = text.split('\n').filter(Boolean).slice(1)
  return new Map(rows.map((row) => /** @type {[string, string]} */ (row.split('\t', 2))))
}
