import { randomBytes } from 'node:crypto'
import { signInPlainly, type CloudAccess, type PlainClient } from './plain-client'

/** Name prefix of all objects that tests create in a cloud; `sweep` uses it to find them. */
export const fixturePrefix = 'conformance-'

/** Description of roles that tests create because the cloud lacks them; `sweep` uses it to find them. */
export const roleForTests = 'Made by tests of Mainstay'

/** A project created for tests, with one user. */
export interface Tenant {
  projectId: string
  userId: string
  access: CloudAccess
}

/** Objects created in a cloud for a test run. */
export interface CloudFixture {
  /** Prefix of all names in this run. */
  prefix: string
  ours: Tenant
  theirs: Tenant
  /** The administrator who created the fixture. */
  operator: Tenant
  /** IDs of two flavors and a network. */
  flavor: string
  largerFlavor: string
  network: string
  /** ID of an external network that all projects may use; undefined if the cloud has none. */
  external?: string
  /** Returns the address in `network` whose last octet is `place`. */
  address(place: number): string
}

const domainIdOf = async (admin: PlainClient, name: string): Promise<string> => {
  const { domains } = await admin.call<{ domains: { id: string }[] }>(
    'identity',
    'GET',
    `/domains?name=${encodeURIComponent(name)}`,
  )
  if (!domains[0]) throw new Error(`the cloud has no domain ${name}`)
  return domains[0].id
}

async function roleId(admin: PlainClient, name: string): Promise<string> {
  const { roles } = await admin.call<{ roles: { id: string }[] }>('identity', 'GET', `/roles?name=${name}`)
  if (!roles[0]) throw new Error(`the cloud has no role ${name}`)
  return roles[0].id
}

/** Assigns an additional role to a project's user, creating the role if it does not exist. */
export async function giveRole(admin: PlainClient, { projectId, userId }: Tenant, name: string): Promise<void> {
  const { roles } = await admin.call<{ roles: { id: string }[] }>('identity', 'GET', `/roles?name=${name}`)
  const make = () =>
    admin.call<{ role: { id: string } }>('identity', 'POST', '/roles', { role: { name, description: roleForTests } })
  const { id } = roles[0] ?? (await make()).role
  await admin.call('identity', 'PUT', `/projects/${projectId}/users/${userId}/roles/${id}`)
}

/** Additional roles that members must have to use load balancers and certificates. */
const rolesOfServices = ['load-balancer_member', 'creator']

async function giveRoleThatIsThere(
  admin: PlainClient,
  { projectId, userId }: Pick<Tenant, 'projectId' | 'userId'>,
  name: string,
): Promise<void> {
  const { roles } = await admin.call<{ roles: { id: string }[] }>('identity', 'GET', `/roles?name=${name}`)
  if (roles[0]) await admin.call('identity', 'PUT', `/projects/${projectId}/users/${userId}/roles/${roles[0].id}`)
}

async function makeTenant(admin: PlainClient, access: CloudAccess, name: string): Promise<Tenant> {
  const domain_id = await domainIdOf(admin, access.userDomain)
  const password = randomBytes(12).toString('base64url')
  const made = <Kind extends string>(kind: Kind, draft: object) =>
    admin.call<Record<Kind, { id: string }>>('identity', 'POST', `/${kind}s`, { [kind]: draft })
  const { project } = await made('project', { name, domain_id })
  const { user } = await made('user', { name, domain_id, password })
  const role = await roleId(admin, 'member')
  await admin.call('identity', 'PUT', `/projects/${project.id}/users/${user.id}/roles/${role}`)
  for (const more of rolesOfServices) await giveRoleThatIsThere(admin, { projectId: project.id, userId: user.id }, more)
  // the default quotas of some clouds are too small for a test suite
  await admin.call('compute', 'PUT', `/os-quota-sets/${project.id}`, {
    quota_set: { instances: 12, cores: 24, ram: 8192, key_pairs: 20, server_groups: 5, server_group_members: 10 },
  })
  await admin.call('volume', 'PUT', `/os-quota-sets/${project.id}`, {
    quota_set: { volumes: 24, gigabytes: 100, snapshots: 10 },
  })
  return {
    projectId: project.id,
    userId: user.id,
    access: { ...access, username: name, password, projectName: name, projectDomain: access.userDomain },
  }
}

async function makeFlavor(admin: PlainClient, name: string, ram: number): Promise<string> {
  const draft = { flavor: { name, ram, vcpus: 1, disk: 1 } }
  return (await admin.call<{ flavor: { id: string } }>('compute', 'POST', '/flavors', draft)).flavor.id
}

/**
 * Creates a network for each run, so that the addresses of different runs do not collide. The network is shared, and
 * the project owns it because only the owner of a network may choose addresses in it.
 */
async function makeNetwork(
  admin: PlainClient,
  name: string,
  project_id: string,
): Promise<{ id: string; address(place: number): string }> {
  const third = randomBytes(1)[0]!
  const { network } = await admin.call<{ network: { id: string } }>('network', 'POST', '/networks', {
    network: { name, project_id, shared: true },
  })
  await admin.call('network', 'POST', '/subnets', {
    subnet: { name, project_id, network_id: network.id, ip_version: 4, cidr: `10.91.${third}.0/24`, gateway_ip: null },
  })
  return { id: network.id, address: (place) => `10.91.${third}.${place}` }
}

/** Returns the ID of an external network that all projects may use. */
async function externalNetwork(admin: PlainClient): Promise<string | undefined> {
  interface Policy {
    object_id: string
    action: string
    target_tenant: string
  }
  const policies = await admin.list<Policy>('network', '/rbac-policies?object_type=network', 'rbac_policies')
  return policies.find(({ action, target_tenant }) => action === 'access_as_external' && target_tenant === '*')
    ?.object_id
}

/**
 * Returns a new name prefix. All fixtures of a test run share the prefix of the run, so that leftovers can be found.
 */
const newName = () => `${process.env['MAINSTAY_TEST_RUN'] ?? ''}${randomBytes(3).toString('hex')}`

/**
 * Creates two projects with one member each, two flavors and a shared network. `access`: an administrator's
 * credentials.
 */
export async function prepareCloudFixture(access: CloudAccess, run = newName()): Promise<CloudFixture> {
  const prefix = `${fixturePrefix}${run}`
  const admin = await signInPlainly(access)
  const ours = await makeTenant(admin, access, `${prefix}-ours`)
  const network = await makeNetwork(admin, `${prefix}-net`, ours.projectId)
  const external = await externalNetwork(admin)
  return {
    prefix,
    operator: { projectId: admin.projectId, userId: admin.userId, access },
    ours,
    theirs: await makeTenant(admin, access, `${prefix}-theirs`),
    flavor: await makeFlavor(admin, `${prefix}-small`, 128),
    largerFlavor: await makeFlavor(admin, `${prefix}-larger`, 192),
    network: network.id,
    ...(external !== undefined && { external }),
    address: network.address,
  }
}
