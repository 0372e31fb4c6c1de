import { quotas } from '@mainstay/contract/compute/quotas'
import { io } from 'socket.io-client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { allEndpoints, allKinds } from '@mainstay/contract/resources'
import { flavors } from '@mainstay/contract/compute/flavors'
import { images } from '@mainstay/contract/compute/images'
import { GiB } from '@mainstay/contract/core/bytes'
import { ANY_PARENT, paramNames, parentNames, type Endpoint } from '@mainstay/contract/core/endpoint'
import { examplesOf, filledIn, kindsIn } from '@mainstay/contract/core/example'
import { SOCKET_PATH, type Change, type SocketLoginReply } from '@mainstay/contract/core/events'
import { volumes } from '@mainstay/contract/storage/volumes'
import { rounds, tier } from '../../../tools/lib/tier.mjs'
import { createSamples } from './create-samples'
import type { PersonaName } from './personas'
import { startServer, type TestServer } from './start-server'

/*
 * No tenant may ever see another tenant's resource in a list, view, search, count, command, event or error message.
 * Every object in a project contains the project's mark in each of its texts. Every user makes every call with every
 * foreign ID; no response may contain a foreign mark, or differ from the response for an object that does not exist.
 */

/** The user who creates the objects in each project. There is one project per domain, and a second one in the first. */
const makers = {
  'alpha-one': 'project-member',
  'alpha-two': 'domain-admin@alpha-two',
  'beta-one': 'other-member',
} as const
type ProjectName = keyof typeof makers
const projects = Object.keys(makers) as ProjectName[]
const mark = (project: ProjectName) => `secretof${project.replace('-', '')}`

/** The projects that each user may see. An SSH key is visible only to its owner, even within the project. */
const people: { who: PersonaName; sees: readonly ProjectName[] }[] = [
  { who: 'project-member', sees: ['alpha-one'] },
  { who: 'project-admin', sees: ['alpha-one'] },
  { who: 'service-account', sees: ['alpha-one'] },
  { who: 'service-account@beta-one', sees: ['beta-one'] },
  { who: 'domain-admin', sees: [] },
  { who: 'domain-admin@alpha-one', sees: ['alpha-one'] },
  { who: 'other-member', sees: ['beta-one'] },
]

/**
 * The users who make every call: in the gate, one for each set of rights. Project administrators have the rights of
 * project members (contract/src/permissions.ts), and the others only act in another project.
 */
const inGate: ReadonlySet<PersonaName> = new Set<PersonaName>([
  'project-member',
  'domain-admin',
  'domain-admin@alpha-one',
  'service-account@beta-one',
])
const callers = tier === 'gate' ? people.filter(({ who }) => inGate.has(who)) : people
/** How many tasks of each project every caller asks for. */
const mostTasks = rounds({ gate: 2, all: 200, long: 200 })

/** A domain administrator may see all users in the domain, regardless of their project. */
const isAdministeredBy = (who: PersonaName, kind: string): boolean =>
  who === 'domain-admin' && allKinds[kind]?.visibility === 'administered'

/**
 * The audit log shows a domain administrator all actions in the domain, including the values that were entered
 * (audit-log.spec.ts).
 */
const isLoggedFor = (who: PersonaName, call: string): boolean => who === 'domain-admin' && call.startsWith('auditLog.')

interface Owned {
  project: ProjectName
  kind: string
  id: string
}

/**
 * A call on the row `id` with rows from the project `of` in its body. `what` describes the call; its response is
 * compared with that for a missing object.
 */
interface Asked {
  id?: string
  of?: ProjectName
  what?: string
}

let server: TestServer
const owned: Owned[] = []
/** Flavors are visible to everyone. */
let flavorId = ''
let idCount = 0
/** Returns an ID that does not exist. */
const nothing = () => `00000000-0000-4000-8000-${String(++idCount).padStart(12, '0')}`

/** Returns the smallest file that every reader accepts as an ISO image: only the descriptor at 32 KiB. */
function tinyIso(): Buffer {
  const bytes = Buffer.alloc(40 * 1024)
  bytes.write('\u0001CD001\u0001', 0x8000, 'latin1')
  bytes.write('\u00ffCD001\u0001', 0x8800, 'latin1')
  return bytes
}

async function furnishProject(project: ProjectName): Promise<void> {
  const text = mark(project)
  for (const made of await createSamples(server, makers[project], text)) owned.push({ project, ...made })
  const scoped = await server.signIn('superuser')
  const entered = await server.call(allEndpoints.session.enterProject, {
    as: { token: scoped },
    params: { id: server.cast.projects[project]!.id },
  })
  const upload = await fetch(`${server.url}${images.create.path}`, {
    method: 'POST',
    headers: {
      'x-auth-token': entered.token,
      'content-type': 'application/octet-stream',
      'x-hci-image-name': Buffer.from(text).toString('base64'),
      'x-hci-image-disk-format': 'iso',
    },
    body: new Uint8Array(tinyIso()),
  })
  expect(upload.status, await upload.clone().text()).toBeLessThan(300)
  owned.push({ project, kind: 'image', id: ((await upload.json()) as { id: string }).id })
  const { id } = server.cast.projects[project]!
  await server.call(quotas.set, { as: 'superuser', params: { id }, body: { compute: { cores: { limit: 30 } } } })
  owned.push({ project, kind: 'quota', id })
}

beforeAll(async () => {
  server = await startServer()
  for (const project of projects) await furnishProject(project)
  flavorId = (await server.call(flavors.list, { as: 'superuser' })).data[0]!.id
  const { data } = await server.call(allEndpoints.tasks.list, { as: 'superuser', query: { limit: 200 } })
  for (const task of data) {
    const project = projects.find((name) => server.cast.projects[name]!.id === task.project_id)
    const known = owned.filter((it) => it.kind === 'task' && it.project === project)
    if (project && known.length < mostTasks) owned.push({ project, kind: 'task', id: task.id })
  }
})
afterAll(() => server.close())

// calls after which the caller is signed out or has another identity
const endsSessions = new Set([
  'session.logout',
  'session.logoutAtProvider',
  'session.login',
  'session.changePassword',
  'account.endOtherSessions',
])

const calls = Object.entries(allEndpoints).flatMap(([resource, table]) =>
  Object.entries(table as Record<string, Endpoint>).map(([name, endpoint]) => ({
    name: `${resource}.${name}`,
    endpoint,
  })),
)

/**
 * Returns a valid body, so that a refusal is due to the object itself: an example from the contract, preferably one
 * that references rows; an empty body if there is none.
 */
function bodyOf(name: string, { body }: Endpoint, foreign: (kind: string) => string): unknown {
  const examples = examplesOf(body)
  const example = examples.find((it) => namesRows(it)) ?? examples[0] ?? (body ? {} : undefined)
  const filled = filledIn(example, (kind) => (kind === 'flavor' ? flavorId : foreign(kind)))
  return name === 'instances.create' ? { ...(filled as object), key_name: mark('beta-one') } : filled
}
const namesRows = (example: unknown) => kindsIn(example).some((kind) => kind !== 'flavor')
/** Whether the body may reference rows other than the ones in the path. */
const asksByBody = ({ body }: Endpoint) => examplesOf(body).some(namesRows)

/** Whether a call requires the rights for rows of this kind. */
const isOf = ({ path }: Endpoint, kind: string): boolean => {
  const right = allKinds[kind]!.permissions.collection
  const list = calls.find(
    ({ endpoint }) =>
      endpoint.verb === 'GET' && typeof endpoint.needs === 'object' && endpoint.needs.resource === right,
  )
  return path.startsWith(list!.endpoint.path)
}

/** A response without the parts that differ between identical calls. */
const comparable = (text: string) =>
  text
    .replaceAll(/req-[\w-]+/g, 'req')
    .replaceAll(/"revision":\d+/g, '')
    .replaceAll(/"created_at":"[^"]+"/g, '')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'id')

it('reveals neither objects in other projects nor their existence in any call', { timeout: 600_000 }, async () => {
  const leaks: string[] = []
  let asked = 0
  for (const { who, sees } of callers) {
    const foreign = owned.filter(
      ({ project, kind }) => !sees.includes(project) && !(isAdministeredBy(who, kind) && project.startsWith('alpha')),
    )
    const marks = projects.filter((project) => !sees.includes(project)).map(mark)
    for (const { name, endpoint } of calls) {
      if (endsSessions.has(name)) continue
      const names = paramNames(endpoint.path)
      // calls with a row ID use any parent; calls without one use a foreign parent
      const anyParent = names.includes('id') ? parentNames(endpoint.path) : []
      const valueOf = (param: string, id: string | undefined) =>
        param === 'tag' ? 'tag' : anyParent.includes(param) ? ANY_PARENT : (id ?? nothing())
      const ask = async (id: string | undefined, others: (kind: string) => string) => {
        const params = Object.fromEntries(names.map((param) => [param, valueOf(param, id)]))
        const body = bodyOf(name, endpoint, others)
        const response = await server.fetch(endpoint, {
          as: who,
          params,
          ...(body !== undefined && { body }),
        } as never)
        asked++
        return { status: response.status, text: await response.text() }
      }
      /** Responses for a foreign object must not differ from those for a missing one, and none may contain a mark. */
      const expectSame = async (asks: Asked[], absence: () => ReturnType<typeof ask>) => {
        // the response for missing objects is always the same
        let absent: Awaited<ReturnType<typeof ask>> | null = null
        for (const { id, of, what } of asks) {
          const answer = await ask(id, ofProject(of))
          const told = marks.find((text) => answer.text.includes(text) && !isLoggedFor(who, name))
          if (told) leaks.push(`${name} as ${who} tells of ${told}: ${answer.text.slice(0, 200)}`)
          if (!what) continue
          absent ??= await absence()
          if (absent.status !== answer.status || comparable(absent.text) !== comparable(answer.text))
            leaks.push(
              `${name} as ${who} tells a foreign ${what} from nothing: ${answer.status} ${answer.text.slice(0, 160)} / ${absent.status} ${absent.text.slice(0, 160)}`,
            )
        }
      }
      const ofProject = (project: ProjectName | undefined) => (kind: string) =>
        foreign.find((it) => it.kind === kind && it.project === project)?.id ?? nothing()
      const inBodies = [...new Set(foreign.map((it) => it.project))].map((of) => ({ of, what: 'row in its body' }))
      if (names.length === 0) {
        await expectSame(asksByBody(endpoint) ? inBodies : [{}], () => ask(undefined, nothing))
        continue
      }
      const ofPath = foreign.filter((it) => isOf(endpoint, it.kind))
      await expectSame(
        ofPath.map(({ id, project, kind }) => ({ id, of: project, what: kind })),
        () => ask(nothing(), nothing),
      )
      // foreign rows in the body of a call on an object that the caller owns
      const own = owned.find((it) => sees.includes(it.project) && isOf(endpoint, it.kind))
      if (own && asksByBody(endpoint))
        await expectSame(
          inBodies.map((it) => ({ ...it, id: own.id })),
          () => ask(own.id, nothing),
        )
    }
  }
  expect(leaks.slice(0, 20).join('\n')).toBe('')
  expect(asked).toBeGreaterThan(1000)
})

it('searches, counts and pages through visible rows only', { timeout: 120_000 }, async () => {
  const leaks: string[] = []
  const lists = Object.values(allKinds).flatMap((kind) => {
    const list = calls.find(
      ({ name, endpoint }) =>
        name.endsWith('.list') &&
        typeof endpoint.needs === 'object' &&
        endpoint.needs.resource === kind.permissions.collection,
    )
    return list ? [{ kind, endpoint: list.endpoint }] : []
  })
  expect(lists.length).toBeGreaterThan(10)
  for (const { who, sees } of callers) {
    const hidden = projects.filter((project) => !sees.includes(project))
    for (const { kind, endpoint } of lists) {
      if (isAdministeredBy(who, kind.name)) continue
      for (const project of hidden) {
        const { id: projectId } = server.cast.projects[project]!
        const foreign = owned.find((it) => it.kind === kind.name && it.project === project)
        const queries: Record<string, string>[] = [
          { search: mark(project) },
          ...(kind.filters['name'] ? [{ name: mark(project) }] : []),
          ...(kind.filters['tags'] ? [{ tags: `any:${mark(project)}` }] : []),
          ...(kind.filters['project_id'] ? [{ project_id: projectId }] : []),
          ...(foreign && kind.filters['id'] ? [{ id: foreign.id }] : []),
        ]
        for (const query of queries) {
          const response = await server.fetch(endpoint, { as: who, query: { ...query, with_count: 'true' } })
          if (response.status === 403) continue
          const page = (await response.json()) as { data: unknown[]; count: number }
          if (response.status !== 200 || page.data.length > 0 || page.count !== 0)
            leaks.push(
              `${kind.name} as ${who} by ${JSON.stringify(query)}: ${response.status} ${JSON.stringify(page).slice(0, 200)}`,
            )
        }
        if (!foreign) continue
        const marker = await server.fetch(endpoint, { as: who, query: { marker: foreign.id } })
        const nowhere = await server.fetch(endpoint, { as: who, query: { marker: nothing() } })
        if (marker.status !== nowhere.status)
          leaks.push(
            `${kind.name} as ${who}: a foreign id as a marker answers ${marker.status}, an unknown one ${nowhere.status}`,
          )
      }
    }
  }
  expect(leaks.join('\n')).toBe('')
})

it('never sends a socket a change that its user may not see, whatever it requests', { timeout: 60_000 }, async () => {
  const heard: { who: PersonaName; changes: Change[] }[] = []
  const sockets = await Promise.all(
    people.flatMap(({ who }) =>
      [true, false].map(async (allTenants) => {
        const token = await server.signIn(who)
        const socket = io(server.url, { path: SOCKET_PATH, transports: ['websocket'], forceNew: true })
        const mine: Change[] = []
        socket.on('changes', (changes: Change[]) => mine.push(...changes))
        await new Promise<void>((resolve) => socket.on('connect', resolve))
        const reply = await new Promise<SocketLoginReply>((resolve) => {
          socket.emit('login', { token, all_tenants: allTenants, since: 0 }, resolve)
        })
        heard.push({ who, changes: mine })
        return { socket, reply }
      }),
    ),
  )
  try {
    for (const project of projects)
      await server.call(volumes.create, { as: makers[project], body: { name: mark(project), size: GiB } })
    // Everyone has received the last volume visible to them, so all earlier changes have arrived.
    await expect
      .poll(
        () =>
          people.every(({ who, sees }) =>
            sees.every((project) =>
              heard.some((it) => it.who === who && JSON.stringify(it.changes).includes(mark(project))),
            ),
          ),
        { timeout: 20_000 },
      )
      .toBe(true)
    for (const { who, sees } of people) {
      const changes = heard.filter((it) => it.who === who).flatMap((it) => it.changes)
      const text = JSON.stringify(changes.filter(({ kind }) => !isAdministeredBy(who, kind)))
      for (const project of projects.filter((it) => !sees.includes(it))) {
        expect(text, `${who} hears of ${project}`).not.toContain(mark(project))
        expect(text, `${who} hears of ${project}`).not.toContain(server.cast.projects[project]!.id)
      }
    }
  } finally {
    for (const { socket } of sockets) socket.disconnect()
  }
})
