import { randomBytes } from 'node:crypto'
import { signInPlainly, type CloudAccess, type PlainClient } from './plain-client'

/** Everything that tests make in a cloud has a name that begins so; `sweep` finds it by that. */
export const fixturePrefix = 'conformance-'

/** The description of a role that is made for tests where a cloud has none of its name; `sweep` finds it by that. */
export const roleForTests = 'Made by tests of Mainstay'

/** A project of the tests' own with one user. */
export interface Tenant {
  projectId: string
  userId: string
  access: CloudAccess
}

/** What tests find in a cloud, made for them. */
export interface CloudFixture {
  /** Beginning of every name that is made for this run. */
  prefix: string
  ours: Tenant
  theirs: Tenant
  /** Somebody who may do everything, as whom the fixture was made. */
  operator: Tenant
  /** Ids. */
  flavor: string
  largerFlavor: string
  network: string
  /** An external network of the cloud that everybody may use for routers and floating IPs; left out where it has none. */
  external?: string
  /** An address of the network by its place. */
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

/** Gives the user of a project a further role there. */
export async function giveRole(admin: PlainClient, { projectId, userId }: Tenant, name: string): Promise<void> {
  const { roles } = await admin.call<{ roles: { id: string }[] }>('identity', 'GET', `/roles?name=${name}`)
  const make = () =>
    admin.call<{ role: { id: string } }>('identity', 'POST', '/roles', { role: { name, description: roleForTests } })
  const { id } = roles[0] ?? (await make()).role
  await admin.call('identity', 'PUT', `/projects/${projectId}/users/${userId}/roles/${id}`)
}

/** What some services want of members besides: load balancers and certificates. */
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
  // of the quotas that a cloud gives by itself, those of some are too small for a suite
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
 * A network of its own for each run, so that addresses of one do not meet those of another. It is the project's, since only
 * whose it is may choose addresses, and shared with all.
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

/** An external network that is everybody's. */
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

/** Fixtures of one run of the tests have names that begin alike, so that what it leaves is found. */
const newName = () => `${process.env['MAINSTAY_TEST_RUN'] ?? ''}${randomBytes(3).toString('hex')}`

/** Two projects with a member each, two flavors and a network that both may use, made by somebody who may. */
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
