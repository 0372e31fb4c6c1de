import { parseSync } from 'vite'

/** @typedef {{ type: string, start: number, end: number, [key: string]: unknown }} Node */

/** @param {unknown} value @returns {value is Node} */
const isNode = (value) =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

/** @param {string} file @param {string} source */
export function parse(file, source) {
  const parsed = parseSync(file, source)
  const [fault] = parsed.errors
  // otherwise, a file with syntax errors would pass as a file without imports and tests
  if (fault) throw new Error(`${file}: ${fault.message}`)
  return parsed
}

/**
 * Visits a node and all its descendants, parents first. `enter` may return a function to call when leaving the node.
 *
 * @param {Node} node
 * @param {(node: Node) => (() => void) | undefined} enter
 */
export function walk(node, enter) {
  const leave = enter(node)
  for (const value of Object.values(node)) {
    if (Array.isArray(value)) {
      for (const child of value) if (isNode(child)) walk(child, enter)
    } else if (isNode(value)) walk(value, enter)
  }
  leave?.()
}

/** @param {string} source @param {number} offset */
export const lineAt = (source, offset) => source.slice(0, offset).split('\n').length
