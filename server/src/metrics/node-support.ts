import process from 'node:process'
import type { NodeSupport } from '@mainstay/contract/infrastructure/engines'

/** Last day of security updates for each Node major version. */
const supportEnds: Readonly<Record<number, string>> = {
  18: '2025-04-30',
  19: '2023-06-01',
  20: '2026-04-30',
  21: '2024-06-01',
  22: '2027-04-30',
  23: '2025-06-01',
  24: '2028-04-30',
  25: '2026-06-01',
  26: '2029-04-30',
}
/** Node versions to recommend instead. */
export const RECOMMENDED_NODE = '22 or 24'

/** Whether the running Node version still gets security updates. */
export function nodeSupport(version = process.versions.node, now = new Date()): NodeSupport {
  const until = supportEnds[Number(version.split('.')[0])] ?? null
  const isNewer = until === null && Number(version.split('.')[0]) > 26
  return {
    version,
    supported_until: until,
    is_supported: isNewer || (until !== null && now.toISOString().slice(0, 10) <= until),
  }
}

/** Warning for the operator; null if the version is supported. */
export function nodeAdvice({ version, supported_until, is_supported }: NodeSupport): string | null {
  if (is_supported) return null
  const since = supported_until === null ? '' : ` since ${supported_until}`
  return `Node ${version} has had no security updates${since}; install Node ${RECOMMENDED_NODE}.`
}
