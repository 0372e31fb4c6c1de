import { randomInt } from 'node:crypto'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Service } from '../client/service-client'

/** Faults between an engine and a service of its cloud. */
export type Fault =
  /** Connections are refused; affects all requests to the service. */
  | { kind: 'refuse' }
  /** The connection breaks before the request reaches the cloud. */
  | { kind: 'drop' }
  /** The cloud handles the request, but the connection breaks before the response. */
  | { kind: 'lose' }
  /** The connection breaks in the middle of the response. */
  | { kind: 'reset' }
  /** The response stops in the middle while the connection stays open. */
  | { kind: 'hang' }
  /** The request is delayed before it is forwarded. */
  | { kind: 'slow'; ms: number }
  /** A different response instead of the cloud's, such as 500 or 503. */
  | { kind: 'status'; status: number; headers?: Record<string, string>; body?: string }
  /** A web page with status 200. */
  | { kind: 'html' }
  /** Half of the cloud's response, with a matching `Content-Length`. */
  | { kind: 'half' }
  /** A list of versions with status 300 instead of the response. */
  | { kind: 'versions' }
  /** Starting with this request, the cloud rejects all tokens seen so far. */
  | { kind: 'expire' }

/** Requests that a fault affects; by default all requests to the service. */
export interface When {
  verb?: string
  /** Matched against the path and the query. */
  path?: RegExp
  /** The first matching request to affect, counted from 1. */
  from?: number
  /** Number of requests to affect. */
  times?: number
}

export interface Passed {
  service: Service
  verb: string
  path: string
  status: number
  token: string | null
}

export interface FaultProxy {
  /** URLs of the proxy: `authUrl` for Keystone, `overrides` for all services. */
  authUrl: string
  overrides: Partial<Record<Service, string>>
  /** Adds a fault to a service. If several faults match a request, the first one applies. */
  fault(service: Service, fault: Fault, when?: When): Promise<void>
  /** Adds a fault to every service. */
  faultAll(fault: Fault, when?: When): Promise<void>
  /** Removes the faults of one service or of all. Expired tokens stay expired. */
  heal(service?: Service): Promise<void>
  /** Requests that the cloud answered, even if the response did not reach the engine. */
  passed: Passed[]
  close(): Promise<void>
}

interface Planned {
  fault: Fault
  when: When
  seen: number
}

const textOf = async (incoming: IncomingMessage) => {
  const parts: Buffer[] = []
  for await (const part of incoming as AsyncIterable<Buffer>) parts.push(part)
  return Buffer.concat(parts)
}

/** Returns the fault that applies to a request, if any. Counts the request for every matching fault. */
function hitting(plans: Planned[], verb: string, path: string): Fault | null {
  let hit: Fault | null = null
  for (const plan of plans) {
    const { verb: wanted, path: pattern, from = 1, times = Infinity } = plan.when
    if ((wanted !== undefined && wanted !== verb) || (pattern && !pattern.test(path))) continue
    plan.seen += 1
    if (plan.seen >= from && plan.seen < from + times) hit ??= plan.fault
  }
  return hit
}

const page = '<!DOCTYPE html><html><head><title>It works</title></head><body><h1>Welcome</h1></body></html>'
const choice = JSON.stringify({ versions: [{ id: 'v9.0', status: 'CURRENT', links: [] }] })

/** Starts an HTTP proxy between an engine and a cloud, with one port per service. */
export async function startFaultProxy(targets: Partial<Record<Service, string>>): Promise<FaultProxy> {
  const passed: Passed[] = []
  const seenTokens = new Set<string>()
  const expired = new Set<string>()
  const doors = new Map<Service, Door>()

  for (const [service, target] of Object.entries(targets) as [Service, string][]) {
    doors.set(service, await openDoor(service, new URL(target), { passed, seenTokens, expired }))
  }
  const overrides = Object.fromEntries([...doors].map(([service, { url }]) => [service, url]))

  return {
    authUrl: overrides['identity'] ?? '',
    overrides,
    passed,
    fault: async (service, fault, when = {}) => doors.get(service)?.plan(fault, when),
    async faultAll(fault, when = {}) {
      for (const door of doors.values()) await door.plan(fault, when)
    },
    async heal(service) {
      for (const [name, door] of doors) if (service === undefined || name === service) await door.heal()
    },
    async close() {
      for (const door of doors.values()) await door.shut()
    },
  }
}

interface Door {
  url: string
  plan(fault: Fault, when: When): Promise<void>
  heal(): Promise<void>
  shut(): Promise<void>
}
interface Kept {
  passed: Passed[]
  seenTokens: Set<string>
  expired: Set<string>
}

/** Returns a random loopback address, so that no other process takes the port while the proxy refuses connections. */
const ownAddress = () => ['127', randomInt(100, 250), randomInt(1, 255), randomInt(1, 255)].join('.')

const listen = (server: Server, host: string, port: number) =>
  new Promise<number>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port))
  })
const shut = (server: Server) =>
  new Promise<void>((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })

async function openDoor(service: Service, target: URL, kept: Kept): Promise<Door> {
  let plans: Planned[] = []
  const timers = new Set<NodeJS.Timeout>()
  const later = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        timers.delete(timer)
        resolve()
      }, ms)
      timers.add(timer)
    })

  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const verb = incoming.method ?? ''
    const path = incoming.url ?? '/'
    const fault = hitting(plans, verb, path)
    if (fault?.kind === 'expire') for (const token of kept.seenTokens) kept.expired.add(token)
    if (fault?.kind === 'slow') await later(fault.ms)
    if (fault?.kind === 'drop') return void incoming.socket.destroy()
    if (fault?.kind === 'status') return answerInstead(outgoing, fault.status, fault.headers ?? {}, fault.body ?? '')
    if (fault?.kind === 'html') return answerInstead(outgoing, 200, { 'content-type': 'text/html' }, page)
    if (fault?.kind === 'versions') return answerInstead(outgoing, 300, { 'content-type': 'application/json' }, choice)
    const answer = await passOn(service, target, incoming, kept)
    if (fault?.kind === 'lose') {
      await textOf(answer)
      return void incoming.socket.destroy()
    }
    const headers = { ...answer.headers }
    if (fault?.kind === 'half' || fault?.kind === 'reset' || fault?.kind === 'hang') {
      const whole = await textOf(answer)
      const half = whole.subarray(0, Math.floor(whole.length / 2))
      const told = fault.kind === 'half' ? half.length : whole.length
      delete headers['transfer-encoding']
      outgoing.writeHead(answer.statusCode ?? 502, { ...headers, 'content-length': told })
      if (fault.kind === 'half') outgoing.end(half)
      else outgoing.write(half, () => fault.kind === 'reset' && incoming.socket.destroy())
      return
    }
    outgoing.writeHead(answer.statusCode ?? 502, headers)
    answer.on('error', () => incoming.socket.destroy())
    answer.pipe(outgoing)
  }

  const server = createServer((incoming, outgoing) => {
    handle(incoming, outgoing).catch(() => incoming.socket.destroy())
  })
  const host = ownAddress()
  const port = await listen(server, host, 0)
  const isRefused = () => plans.some(({ fault }) => fault.kind === 'refuse')

  return {
    url: `http://${host}:${port}${target.pathname.replace(/\/$/, '')}`,
    async plan(fault, when) {
      plans.push({ fault, when, seen: 0 })
      if (isRefused() && server.listening) await shut(server)
    },
    async heal() {
      plans = []
      if (!server.listening) await listen(server, host, port)
    },
    async shut() {
      for (const timer of timers) clearTimeout(timer)
      if (server.listening) await shut(server)
    },
  }
}

function answerInstead(outgoing: ServerResponse, status: number, headers: Record<string, string>, body: string) {
  outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
  outgoing.end(body)
}

/** Forwards a request to the cloud and replaces an expired token with an invalid one. */
function passOn(service: Service, target: URL, incoming: IncomingMessage, kept: Kept): Promise<IncomingMessage> {
  const token = incoming.headers['x-auth-token']
  const known = typeof token === 'string' ? token : null
  if (known) kept.seenTokens.add(known)
  const headers: IncomingHttpHeaders = { ...incoming.headers, host: target.host }
  if (known && kept.expired.has(known)) headers['x-auth-token'] = 'expired'
  return new Promise((resolve, reject) => {
    const verb = incoming.method ?? 'GET'
    const path = incoming.url ?? '/'
    const outgoing = request(new URL(path, target.origin), { method: verb, headers }, (answer) => {
      kept.passed.push({ service, verb, path, status: answer.statusCode ?? 0, token: known })
      resolve(answer)
    })
    outgoing.on('error', reject)
    incoming.on('error', () => outgoing.destroy())
    incoming.pipe(outgoing)
  })
}
