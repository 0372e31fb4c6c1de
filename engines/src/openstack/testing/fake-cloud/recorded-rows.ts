import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Exchange } from '../recorded'

/*
 * Rows recorded from a real cloud by `record.cloud.spec.ts`. They provide the initial values for rows of the fake
 * cloud: a fake row has every field of the recorded one, and a fake service sets only the fields it controls.
 */

const folder = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../recorded')
type Row = Record<string, unknown>

/** Fields that refer to the recorded row itself and are not copied to a fake row. */
const ownFields = ['links', 'self', 'file', 'addresses']

function rowIn(file: string, list: string, name: RegExp): Row {
  const exchanges = JSON.parse(readFileSync(path.join(folder, `${file}.json`), 'utf8')) as Exchange[]
  for (const { body } of exchanges) {
    const rows = (body as Record<string, unknown> | null)?.[list]
    const found = Array.isArray(rows)
      ? (rows as Row[]).find((row) => name.test((row['name'] as string | undefined) ?? ''))
      : undefined
    if (found) return Object.fromEntries(Object.entries(found).filter(([field]) => !ownFields.includes(field)))
  }
  throw new Error(`nothing in ${list} of ${file}.json is called ${name}`)
}

const read = {
  server: () => rowIn('server', 'servers', /^recorded-running$/),
  flavor: () => rowIn('flavor', 'flavors', /recorded-small$/),
  port: () => rowIn('server', 'ports', /^/),
  image: () => rowIn('image', 'images', /^recorded-image$/),
  volume: () => rowIn('volume', 'volumes', /^recorded-free$/),
  network: () => rowIn('network', 'networks', /recorded-net$/),
  loadbalancers: () => rowIn('lb_pool', 'loadbalancers', /^recorded-balancer$/),
  listeners: () => rowIn('lb_pool', 'listeners', /^recorded-web$/),
  pools: () => rowIn('lb_pool', 'pools', /^recorded-web$/),
  healthmonitors: () => rowIn('lb_pool', 'healthmonitors', /^recorded-web$/),
  members: () => rowIn('lb_pool', 'members', /^one$/),
}
const rows = new Map<string, Row>()

/** Returns a copy of the recorded row of this kind. */
export function recordedRow(kind: keyof typeof read): Row {
  const row = rows.get(kind) ?? read[kind]()
  rows.set(kind, row)
  return structuredClone(row)
}
