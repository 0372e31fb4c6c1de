import type { Role } from '@mainstay/contract/permissions'
import type { DomainRecord, IdentityPort, ProjectRecord, UserRecord } from '@mainstay/engines/ports/identity'

/** Password of all test users. */
export const PASSWORD = 'correct horse 12'

/** Test users (product overview, section 2). */
export type Persona =
  | 'superuser'
  | 'viewer'
  | 'compute-operator'
  | 'domain-admin'
  | 'project-member'
  | 'project-admin'
  | 'service-account'
  | 'other-member'
/** A test user in their usual scope, or in a project of the cast: `project-member@alpha-two`. */
export type PersonaName = Persona | `${Persona}@${string}`

const operators: readonly string[] = ['superuser', 'viewer', 'compute-operator'] satisfies Persona[]
export const isOperator = (name: PersonaName): boolean => operators.includes(name.split('@')[0]!)

export interface Personas {
  /** `alpha` and `beta`. */
  domains: Record<string, DomainRecord>
  /** `alpha-one`, `alpha-two`, `beta-one`, `beta-two`, `demo`. */
  projects: Record<string, ProjectRecord>
  /** `project`: the usual scope; null for users who act in the system or in a domain. */
  people: Record<Persona, { user: UserRecord; domain: DomainRecord; project: ProjectRecord | null }>
}

/**
 * Creates two domains with two projects each, and one user for every persona. Reuses those that already exist in a kept
 * database.
 */
export async function seedPersonas(identity: IdentityPort): Promise<Personas> {
  const home = (await identity.domain('default'))!
  const signIn = async (name: string, domainName: string) =>
    (await identity.authenticate(name, PASSWORD, domainName))?.user ?? null
  const superuser = await signIn('admin', home.name)
  if (!superuser) throw new Error('the first administrator has another password than the tests')
  const demo = (await identity.projectsOf(superuser)).find(({ name }) => name === 'demo')!

  const known = await signIn('project_member', 'alpha')
  const domains: Record<string, DomainRecord> = {}
  const projects: Record<string, ProjectRecord> = { demo }
  if (known) {
    const service = (await signIn('service_account', 'alpha'))!
    for (const { domain_name: _, ...project } of await identity.projectsOf(service)) projects[project.name] = project
    for (const name of ['alpha', 'beta']) domains[name] = (await identity.domain(projects[`${name}-one`]!.domain_id))!
  } else {
    for (const name of ['alpha', 'beta']) {
      domains[name] = await identity.createDomain({ name })
      for (const project of [`${name}-one`, `${name}-two`])
        projects[project] = await identity.createProject({ name: project, domain_id: domains[name].id })
    }
  }

  const one = projects['alpha-one']!
  const person = async (
    name: string,
    domain: DomainRecord,
    project: ProjectRecord | null,
    rights: { roles?: Role[]; in?: [ProjectRecord, Role][] },
  ) => {
    const there = await signIn(name, domain.name)
    const user =
      there ??
      (await identity.createUser({
        name,
        domain_id: domain.id,
        password: PASSWORD,
        roles: rights.roles ?? [],
        assigned_projects: (rights.in ?? []).map(([{ id }, role]) => ({ project_id: id, role })),
      }))
    return { user, domain, project }
  }
  const alpha = domains['alpha']!
  const everywhere = Object.values(projects).filter((it) => it !== demo)
  return {
    domains,
    projects,
    people: {
      superuser: { user: superuser, domain: home, project: null },
      viewer: await person('viewer', home, null, { roles: ['viewer'] }),
      'compute-operator': await person('compute_operator', home, null, { roles: ['compute'] }),
      'domain-admin': await person('domain_admin', alpha, null, { roles: ['domain_admin'] }),
      'project-member': await person('project_member', alpha, one, { in: [[one, 'project_member']] }),
      'project-admin': await person('project_admin', alpha, one, { in: [[one, 'project_admin']] }),
      'service-account': await person('service_account', alpha, one, {
        in: everywhere.map((project) => [project, 'service_account']),
      }),
      'other-member': await person('other_member', domains['beta']!, projects['beta-one']!, {
        in: [[projects['beta-one']!, 'project_member']],
      }),
    },
  }
}
