import { Problem } from '@mainstay/contract/core/problems'
import type { Domain } from '@mainstay/contract/identity/domains'
import { GroupDraft, type Group } from '@mainstay/contract/identity/groups'
import { ProjectDraft, type Project } from '@mainstay/contract/identity/projects'
import { UserDraft, type User } from '@mainstay/contract/identity/users'
import { afterAll, beforeAll, describe } from 'vitest'
import type { DirectoryPort } from '../ports/directory'
import type { IdentityPort } from '../ports/identity'
import type { Entity } from '../ports/records'
import type { ProjectScope, Scope } from '../ports/scope'
import { suiteOf } from './cloud'

/**
 * An engine that manages domains, projects, users and groups, plus the test data that suites cannot derive themselves.
 */
export interface DirectoryUnderTest {
  identity: IdentityPort
  /** An administrator of the whole installation. */
  operator: ProjectScope
  /** Prefix for all names created in this run; empty if no objects outlive the run. */
  prefix: string
  /** Returns the row as it appears in lists; null if it does not exist. */
  row<Row extends Entity>(kind: string, id: string): Promise<Row | null>
  close(): Promise<void>
}
export type StartDirectory = () => Promise<DirectoryUnderTest>

export const PASSWORD = 'correct horse 12'

/** Helpers for directory suites. Created objects are deleted with their domains at the end. */
export interface DirectoryFixture {
  cloud: DirectoryUnderTest
  port: DirectoryPort
  /** Returns a unique name that contains `text`. */
  name(text: string): string
  domain(): Promise<Domain>
  project(domain: { id: string }, change?: Partial<ProjectDraft>): Promise<Project>
  user(domain: { id: string }, change?: Partial<UserDraft>): Promise<User>
  group(domain: { id: string }, change?: Partial<GroupDraft>): Promise<Group>
  /** Creates an administrator of the domain, signs in, and returns the scope. */
  headOf(domain: Domain): Promise<Scope>
  rowOf: {
    domain(id: string): Promise<Domain | null>
    project(id: string): Promise<Project | null>
    user(id: string): Promise<User | null>
    group(id: string): Promise<Group | null>
  }
  /** Registers cleanup for users of the default domain, which is not deleted at the end. */
  afterwards(work: () => Promise<unknown>): void
}

const patience = 300_000

/** Declares a directory suite. `tests` receives a fixture that is filled before the tests run. */
export function describeDirectorySuite(
  title: string,
  start: StartDirectory,
  tests: (fixture: DirectoryFixture) => void,
): void {
  describe(suiteOf(title), () => {
    const fixture = {} as DirectoryFixture
    let close: () => Promise<void>
    beforeAll(async () => {
      const opened = await openFixture(start)
      Object.assign(fixture, opened.fixture)
      close = opened.close
    }, patience)
    afterAll(() => close(), patience)
    tests(fixture)
  })
}

async function openFixture(start: StartDirectory): Promise<{ fixture: DirectoryFixture; close(): Promise<void> }> {
  const cloud = await start()
  const { identity, operator, row } = cloud
  const port = identity.directory
  if (!port) throw new Error('this engine does not manage a directory')
  const domains: string[] = []
  const projects: Project[] = []
  const last: (() => Promise<unknown>)[] = []
  let count = 0
  const name = (text: string): string => `${cloud.prefix}${text}_${(count += 1)}_${Date.now().toString(36)}`

  const fixture: DirectoryFixture = {
    cloud,
    port,
    name,
    async domain() {
      const domain = await port.domains.create(operator, { name: name('domain'), description: '', enabled: true })
      domains.push(domain.id)
      return domain
    },
    async project({ id }, change) {
      const draft = { ...ProjectDraft.parse({ name: 'project' }), name: name('project'), ...change }
      const project = await port.projects.create(operator, id, draft)
      projects.push(project)
      return project
    },
    user: ({ id }, change) =>
      port.users.create(operator, id, {
        ...UserDraft.parse({ name: 'user', password: PASSWORD }),
        name: name('user'),
        ...change,
      }),
    group: ({ id }, change) =>
      port.groups.create(operator, id, { ...GroupDraft.parse({ name: 'group' }), name: name('group'), ...change }),
    async headOf(domain) {
      const head = await fixture.user(domain, { domain_permissions: ['domain_admin'] })
      const signedIn = await identity.authenticate(head.name, PASSWORD, domain.name)
      if (!signedIn) throw new Error(`${head.name} could not sign in`)
      return {
        ...{ kind: 'domain', user_id: head.id, user_name: head.name, domain_id: domain.id, project_id: null },
        roles: signedIn.user.roles,
        request_id: 'conformance',
        credential: signedIn.credential,
      }
    },
    rowOf: {
      domain: (id) => row<Domain>('domain', id),
      project: (id) => row<Project>('project', id),
      user: (id) => row<User>('user', id),
      group: (id) => row<Group>('group', id),
    },
    afterwards: (work) => void last.push(work),
  }

  return {
    fixture,
    async close() {
      for (const work of last) await work()
      for (const { id, domain_id } of projects)
        await port.projects.delete(operator, domain_id, id).catch(unlessNotFound)
      for (const id of domains) await port.domains.delete(operator, id, { withUsers: true }).catch(unlessNotFound)
      await cloud.close()
    },
  }
}

function unlessNotFound(error: unknown): void {
  if (!(error instanceof Problem) || error.code !== 'not_found') throw error
}
