import { fork } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { instanceKind } from '@mainstay/contract/compute/instances'
import type { Entity } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import { grantsOf } from '@mainstay/contract/permissions'
import type { Inventory, LoggedChange } from '../server/src/inventory/types'
import { isVisible, ownedBy, redactFor } from '../server/src/inventory/visibility'
import { createHub } from '../server/src/realtime/hub'
import { silentLogger } from '../server/src/testing/silent-logger'
import type { Crowd, FromCrowd } from '../server/src/testing/socket-crowd'
import { inRoot } from '../tools/lib/paths.mjs'
import type { Row } from './protocol'
import { quick } from './support/quick'

const SOCKETS = 1000
const OPERATORS = 20
const PROJECTS = 10
const CHANGES = 500
const ROUNDS = quick ? 2 : 6

const projectOf = (number: number) => `project-${number % PROJECTS}`
const row = (number: number, round: number): Entity => ({
  id: `instance-${number}`,
  name: `instance ${number} in round ${round}`,
  project_id: projectOf(number),
  domain_id: 'domain',
  user_id: 'user',
  status: 'ACTIVE',
  metadata: Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`key-${at}`, `value ${round} of ${number}`])),
})

/** Opens an in-memory change log, so that the database is not measured. */
function openLog() {
  const changes: LoggedChange[] = []
  const rows = new Map<string, Entity>()
  const listeners = new Set<() => void>()
  const inventory = {
    kinds: new Map([[instanceKind.name, instanceKind]]),
    revision: () => Promise.resolve(changes.length),
    changesSince: (revision: number, limit: number) => Promise.resolve(changes.slice(revision, revision + limit)),
    rowsOf: (_: unknown, ids: string[]) => Promise.resolve(new Map(ids.map((id) => [id, rows.get(id)!]))),
    canReceive: (kind, scope, entity, change) => isVisible(kind, scope, entity ? ownedBy(kind, entity) : change),
    redactFor,
    onCommitted(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  } as Partial<Inventory> as Inventory
  return {
    inventory,
    change(round: number): void {
      for (let number = 0; number < CHANGES; number++) {
        const entity = row(number, round)
        rows.set(entity.id, entity)
        changes.push({
          ...{ revision: changes.length + 1, kind: instanceKind.name, id: entity.id, op: 'put', before: null },
          ...{ project_id: projectOf(number), domain_id: 'domain', user_id: 'user', readers: [] },
          at: new Date().toISOString(),
        })
      }
      for (const listener of listeners) listener()
    },
  }
}

function scopeOf(token: string): Scope {
  const number = Number(token)
  const isOperator = number < OPERATORS
  return {
    kind: isOperator ? 'system' : 'project',
    user_id: `user-${number}`,
    user_name: 'somebody',
    domain_id: 'domain',
    project_id: isOperator ? 'admin' : projectOf(number),
    roles: [isOperator ? 'admin' : 'project_member'],
    request_id: 'bench',
  }
}

/** Measures the server's event loop delay while it sends 500 changes at once to 1000 sockets. */
export async function run(): Promise<Row[]> {
  const { inventory, change } = openLog()
  const hub = await createHub({
    inventory,
    log: silentLogger,
    resolve(token) {
      const scope = scopeOf(token)
      return Promise.resolve({ session_id: token, scope, grants: grantsOf(scope.roles, scope.kind) })
    },
  })
  const server = createServer()
  server.on('upgrade', hub.upgrade)
  await new Promise<void>((ready) => {
    server.listen(0, '127.0.0.1', ready)
  })
  const crowd: Crowd = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tokens: Array.from({ length: SOCKETS }, (_, number) => `${number}`),
  }
  const browsers = fork(inRoot('server', 'src', 'testing', 'socket-crowd.ts'), { execArgv: ['--import', 'tsx'] })
  try {
    let isSignedIn = false
    let told = 0
    browsers.on('message', (message) => {
      const said = message as FromCrowd
      if ('told' in said) told = said.told
      else isSignedIn = true
    })
    browsers.send(crowd)
    while (!isSignedIn) await sleep(50)
    const inEachRound = OPERATORS * CHANGES + ((SOCKETS - OPERATORS) * CHANGES) / PROJECTS
    const delay = monitorEventLoopDelay({ resolution: 1 })
    const took: number[] = []
    for (let round = 0; round <= ROUNDS; round++) {
      // the first round is a warm-up
      if (round === 1) delay.enable()
      const started = performance.now()
      change(round)
      while (told < inEachRound * (round + 1)) await sleep(5)
      if (round > 0) took.push(performance.now() - started)
      await sleep(100)
    }
    delay.disable()
    return [
      {
        name: 'sockets, 1000 told of 500 changes: delay of the event loop, p99',
        unit: 'ms',
        value: delay.percentile(99) / 1e6,
      },
      { name: 'sockets, 1000 told of 500 changes: delay of the event loop, worst', unit: 'ms', value: delay.max / 1e6 },
      { name: 'sockets, 1000 told of 500 changes: until all are', unit: 'ms', value: Math.max(...took) },
    ]
  } finally {
    browsers.disconnect()
    await hub.close()
    server.closeAllConnections()
    server.close()
  }
}
