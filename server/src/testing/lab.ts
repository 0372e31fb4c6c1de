import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { SshTarget } from '@mainstay/engines/hosts/ssh-link'

/** A node of the lab. */
export type LabNode = SshTarget & { name: string }

/** The lab of nodes that `npm run test:infrastructure` started (dev/lab). */
export interface Lab {
  nodes: LabNode[]
  /** Address of this host in the network of the nodes. */
  address: string
  /** Cuts the power of a node, or starts it again. */
  power(action: 'kill' | 'start', name: string): Promise<void>
  /** Runs a shell command as root on a node. Returns what it prints; throws if it fails. */
  shell(name: string, command: string): Promise<string>
  /** Folder with the files that only this node has. They may be changed while the node is off. */
  filesOf(name: string): string
}

export function lab(): Lab {
  const folder = process.env['LAB_DIR']
  if (folder === undefined) throw new Error('These tests need a lab of nodes: npm run test:infrastructure')
  const privateKey = readFileSync(path.join(folder, 'key'), 'utf8')
  const found = JSON.parse(readFileSync(path.join(folder, 'nodes.json'), 'utf8')) as Omit<LabNode, 'privateKey'>[]
  const script = fileURLToPath(new URL('../../../dev/lab/node', import.meta.url))
  const node = async (...words: string[]) => (await promisify(execFile)(script, words)).stdout
  return {
    nodes: found.map((one) => ({ ...one, privateKey })),
    address: found[0]!.address.replace(/\d+$/, '254'),
    power: async (action, name) => void (await node(action, name)),
    shell: (name, command) => node('on', name, 'sh', '-c', command),
    filesOf: (name) => path.join(folder, name, 'upper'),
  }
}
