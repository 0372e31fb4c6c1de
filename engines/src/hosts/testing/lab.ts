import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { SshTarget } from '../ssh-link'

/** The lab of nodes that `npm run test:infrastructure` started (dev/lab). */
export interface Lab {
  nodes: (SshTarget & { name: string })[]
  /** Cuts the power of a node, or starts it again. */
  power(action: 'kill' | 'start', name: string): Promise<void>
}

export function lab(): Lab {
  const folder = process.env['LAB_DIR']
  if (folder === undefined) throw new Error('These tests need a lab of nodes: npm run test:infrastructure')
  const privateKey = readFileSync(`${folder}/key`, 'utf8')
  const found = JSON.parse(readFileSync(`${folder}/nodes.json`, 'utf8')) as Omit<Lab['nodes'][number], 'privateKey'>[]
  const script = fileURLToPath(new URL('../../../../dev/lab/node', import.meta.url))
  return {
    nodes: found.map((node) => ({ ...node, privateKey })),
    power: async (action, name) => void (await promisify(execFile)(script, [action, name])),
  }
}
