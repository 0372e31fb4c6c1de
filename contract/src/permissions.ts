/*
 * The permission table (product overview, section 6). Letters: C create, R read, U update, D delete. Columns: `admin`
 * (admin, superuser) · `viewer` · `area` (the named system role) · `domainAdmin` (identity rows in the domain scope;
 * other rows in any project of the domain) · `projectAdmin` · `projectMember` · `service` (service_account with role
 * compute). A missing column grants nothing.
 */
interface Row {
  admin: string
  viewer?: string
  area?: readonly [SystemRole, string]
  domainAdmin?: string
  projectAdmin?: string
  projectMember?: string
  service?: string
}
/** System roles: one per area, plus two that only give access to the system (S1§6). */
export type SystemRole =
  | 'abgw'
  | 'cluster'
  | 'compute'
  | 'iscsi'
  | 'login'
  | 'network'
  | 'nfs'
  | 's3'
  | 'ssh'
  | 'updates'
  | 'debug'
export const systemRoles: readonly SystemRole[] = [
  'abgw',
  'cluster',
  'compute',
  'iscsi',
  'login',
  'network',
  'nfs',
  's3',
  'ssh',
  'updates',
  'debug',
]

/** `system_admin` is derived (admin, superuser or is_superuser) and never assigned. */
export type Role =
  | 'admin'
  | 'superuser'
  | 'viewer'
  | 'domain_admin'
  | 'system_admin'
  | 'project_member'
  | 'service_account'
  | 'project_admin'
  | SystemRole
  | PermissionFlag
export type PermissionFlag = 'image_upload' | 'quota_manager'

/** Tenant roles, in a project or in a domain. */
export const tenantRoles = [
  'domain_admin',
  'project_admin',
  'project_member',
  'service_account',
  'image_upload',
  'quota_manager',
] as const satisfies readonly Role[]

const tenant = (area: SystemRole, rights = 'CRUD'): Row => ({
  admin: rights,
  viewer: rights.includes('R') ? 'R' : '',
  area: [area, rights],
  domainAdmin: rights,
  projectAdmin: rights,
  projectMember: rights,
  service: rights,
})
const operator = (area: SystemRole, rights = 'CRUD'): Row => ({
  admin: rights,
  viewer: rights.includes('R') ? 'R' : '',
  area: [area, rights],
})
const readable = (area: SystemRole): Row => ({
  ...operator(area),
  domainAdmin: 'R',
  projectAdmin: 'R',
  projectMember: 'R',
  service: 'R',
})
const withoutService = ({ service: _, ...row }: Row): Row => row
const adminsOnly = (admin: string, viewer = ''): Row => ({ admin, viewer })

/** Returns the rows for a kind: its list and its single rows. */
const kindRows = <const List extends string, const One extends string>(list: List, one: One, row: Row) =>
  ({ [list]: row, [one]: row }) as Record<List | One, Row>

const table = {
  // Compute
  ...kindRows('compute_servers', 'compute_server', tenant('compute')),
  compute_server_console: withoutService({ ...tenant('compute', 'R'), viewer: '' }),
  compute_server_log: withoutService({ ...tenant('compute', 'R'), viewer: '' }),
  compute_server_migrate: operator('compute', 'C'),
  compute_server_evacuate: operator('compute', 'C'),
  compute_server_reset_state: operator('compute', 'C'),
  compute_server_password: tenant('compute', 'C'),
  ...kindRows('compute_volumes', 'compute_volume', tenant('compute')),
  compute_volume_clone: tenant('compute', 'C'),
  compute_volume_upload_to_image: tenant('compute', 'C'),
  ...kindRows('compute_recycle_bin', 'compute_recycled_item', tenant('compute', 'RUD')),
  ...kindRows('compute_volume_snapshots', 'compute_volume_snapshot', tenant('compute')),
  compute_volume_reset_state: operator('compute', 'C'),
  // Creating images requires the flag `image_upload`; domain administrators do not require it.
  compute_images: {
    admin: 'CRUD',
    viewer: 'R',
    area: ['compute', 'CRUD'],
    domainAdmin: 'CR',
    projectAdmin: 'R',
    projectMember: 'R',
    service: 'CR',
  },
  compute_image: {
    admin: 'CRUD',
    viewer: 'R',
    area: ['compute', 'CRUD'],
    domainAdmin: 'RUD',
    projectAdmin: 'RUD',
    projectMember: 'RUD',
    service: 'R',
  },
  // a viewer sees everything except content: no consoles, logs or disks
  compute_image_file: { ...tenant('compute', 'R'), viewer: '' },
  ...kindRows('compute_server_groups', 'compute_server_group', tenant('compute', 'CRD')),
  ...kindRows('compute_keys', 'compute_key', tenant('compute')),
  ...kindRows('compute_flavors', 'compute_flavor', readable('compute')),
  compute_storage_policies: readable('compute'),
  compute_traits: readable('compute'),
  ...kindRows('compute_nodes', 'compute_node', operator('compute')),
  compute_cluster: readable('compute'),
  compute_stat: tenant('compute', 'R'),
  ...kindRows('compute_networks', 'compute_network_details', tenant('compute')),
  compute_private_networks: { ...tenant('compute', 'C') },
  compute_public_networks: readable('compute'),
  compute_vlan_networks: readable('compute'),
  ...kindRows('compute_subnets', 'compute_subnet', tenant('compute')),
  ...kindRows('compute_ports', 'compute_port', tenant('compute')),
  ...kindRows('compute_routers', 'compute_routers_router', tenant('compute')),
  ...kindRows('compute_networks_floating_ips_list', 'compute_networks_floating_ips', tenant('compute')),
  ...kindRows('compute_security_groups', 'compute_security_group', tenant('compute')),
  compute_security_group_rules: tenant('compute'),
  ...kindRows('compute_vpn_ipsec_site_connections', 'compute_vpn_ipsec_site_connection', tenant('compute')),
  ...kindRows('compute_load_balancers', 'compute_load_balancer', tenant('compute')),
  ...kindRows('compute_lb_pools', 'compute_lb_pool', tenant('compute')),
  compute_lb_flavors: readable('compute'),
  compute_lb_failover: operator('compute', 'C'),
  ...kindRows('compute_k8saas_clusters', 'compute_k8saas_cluster', withoutService(tenant('compute'))),
  compute_k8saas_nodegroup: withoutService(tenant('compute')),
  compute_k8saas_cluster_upgrade: withoutService(tenant('compute', 'C')),
  compute_k8saas_config: withoutService({ ...tenant('compute', 'R'), viewer: '' }),
  ...kindRows('compute_stacks', 'compute_stack', withoutService(tenant('compute'))),
  ...kindRows('compute_backup_plans', 'compute_backup_plan', { ...tenant('compute'), service: 'R' }),
  compute_volume_backups: { ...tenant('compute'), service: 'R' },
  // The create permission means setting limits. Project members can read the usage; a quota_manager can set limits.
  compute_quotas: {
    admin: 'CR',
    viewer: 'R',
    area: ['compute', 'CR'],
    domainAdmin: 'CR',
    projectAdmin: 'R',
    projectMember: 'R',
    service: 'R',
  },

  // Identity
  ...kindRows('domains', 'domain', { admin: 'CRUD', viewer: 'R', domainAdmin: 'R' }),
  domain_props: { admin: 'CRUD', viewer: 'R', domainAdmin: 'R', projectAdmin: 'R', projectMember: 'R' },
  ...kindRows('domain_users', 'domain_user', { admin: 'CRUD', viewer: 'R', domainAdmin: 'CRUD' }),
  ...kindRows('domain_groups', 'domain_group', { admin: 'CRUD', viewer: 'R', domainAdmin: 'CRUD' }),
  ...kindRows('domain_projects', 'domain_project', {
    admin: 'CRUD',
    viewer: 'R',
    domainAdmin: 'CRUD',
    projectAdmin: 'R',
    projectMember: 'R',
  }),
  domain_idps: { admin: 'CRUD', viewer: 'R', domainAdmin: 'CRUD' },
  account: { admin: 'RU', viewer: 'RU', domainAdmin: 'RU', projectAdmin: 'RU', projectMember: 'RU' },

  // Storage and platform
  clusters: operator('cluster'),
  nodes: operator('cluster'),
  node_disks: operator('cluster'),
  node_reinstall: operator('cluster'),
  node_maintenance: operator('cluster'),
  locations: operator('cluster'),
  failure_domains: operator('cluster'),
  occupied_failure_domains: operator('cluster'),
  cluster_settings: operator('cluster', 'RU'),
  automatic_disk_replacement: operator('cluster', 'RU'),
  cses_per_disk: operator('cluster', 'RU'),
  node_interfaces: operator('network'),
  network_roles_sets: operator('network'),
  network_roles: operator('network'),
  network_reconfiguration: operator('network'),
  network_ipsec: operator('network'),
  dns: operator('network'),
  iscsi_volumes: operator('iscsi'),
  iscsi_target_groups: operator('iscsi'),
  iscsi_targets: operator('iscsi'),
  iscsi_users: operator('iscsi'),
  iscsi_acl: operator('iscsi'),
  nfs_nodes: operator('nfs'),
  nfs_shares: operator('nfs'),
  nfs_exports: operator('nfs'),
  nfs_auth: operator('nfs'),
  mpfs_shares: operator('nfs'),
  // the user's own S3 user; removed if object storage is not available to the user
  s3_enable: { admin: '', domainAdmin: 'CRUD', projectAdmin: 'CRUD', projectMember: 'CRUD', service: 'CRUD' },
  s3_service: operator('s3'),
  s3_users: operator('s3'),
  s3_keys: operator('s3'),
  s3_domain_status: operator('s3'),
  abgw: operator('abgw'),
  abgw_registrations: operator('abgw'),
  abgw_georeplication: operator('abgw'),
  ha_configs: { admin: 'CRUD', viewer: 'R', area: ['cluster', 'R'] },
  ha_nodes: { admin: 'CRUD', viewer: 'R', area: ['cluster', 'R'] },
  management_backup: { admin: 'CRUD', viewer: 'R', area: ['cluster', 'R'] },
  software_updates: operator('updates'),
  ssh_keys: operator('ssh'),
  // tenants see alerts about the objects in their own project
  alerts: { ...adminsOnly('RU', 'R'), domainAdmin: 'R', projectAdmin: 'R', projectMember: 'R', service: 'R' },
  alert_types: adminsOnly('RU', 'R'),
  // domain administrators see entries for their domain
  audit_log: { admin: 'R', viewer: 'R', domainAdmin: 'R' },
  tasks: tenant('login', 'R'),
  task_cancel: tenant('compute', 'C'),
  // questions for operators are about tasks on nodes and the cluster
  task_control: tenant('cluster', 'U'),
  about: tenant('login', 'R'),
  overview: { admin: 'R', viewer: 'R', area: ['login', 'R'], domainAdmin: 'R', projectAdmin: 'R', projectMember: 'R' },
  engines: { admin: 'R', viewer: 'R' },
  settings_ldap: adminsOnly('CRUD', 'R'),
  settings_snmp: adminsOnly('CRUD', 'R'),
  settings_notifications: adminsOnly('CRUD', 'R'),
  ssl: adminsOnly('CRUD', 'R'),
  settings_sessions: adminsOnly('CRUD', 'R'),
  settings_recycle_bin: adminsOnly('CRUD', 'R'),
  settings_locales: adminsOnly('CRUD', 'R'),
  // users who can report a problem can see whether reporting is currently possible
  settings_reports: { ...adminsOnly('CRUD', 'R'), domainAdmin: 'R', projectAdmin: 'R', projectMember: 'R' },
  reports: { admin: 'CRD', domainAdmin: 'C', projectAdmin: 'C', projectMember: 'C' },
  license: adminsOnly('RU', 'R'),
  features: { admin: 'RU', viewer: 'R', area: ['debug', 'RU'] },
} as const satisfies Record<string, Row>

export type ResourceName = keyof typeof table
export const permissionTable: Record<ResourceName, Row> = table
export const resourceNames = Object.keys(table) as ResourceName[]

/** Permissions of a scope: the granted letters by resource. */
export type Grants = Partial<Record<ResourceName, string>>

/** Scope of a token (product overview, section 3). Project roles are effective only in the scope of their project. */
export type ScopeKind = 'system' | 'domain' | 'project' | 'none'

const isSystemRole = (role: string): role is SystemRole => (systemRoles as readonly string[]).includes(role)

/** Resources that are managed in the domain scope, not within one of its projects. */
export const domainScopeResources = [
  'domains',
  'domain',
  'domain_users',
  'domain_user',
  'domain_groups',
  'domain_group',
  'domain_projects',
  'domain_project',
  'domain_idps',
] as const satisfies readonly ResourceName[]
const administeredInDomain: ReadonlySet<ResourceName> = new Set<ResourceName>([...domainScopeResources, 'audit_log'])

/**
 * Resources that a domain administrator can access without a project. Listed explicitly, so that a new resource is not
 * included by its name.
 */
const inDomainScope: ReadonlySet<ResourceName> = new Set<ResourceName>([
  ...domainScopeResources,
  'domain_props',
  'account',
  'audit_log',
  'tasks',
  'about',
  'compute_quotas',
  'reports',
  'settings_reports',
])

/** Returns the letters that a role grants on a resource in a kind of scope. */
function lettersOf(role: Role, resource: ResourceName, scope: ScopeKind): string {
  const row = permissionTable[resource]
  if (scope === 'system') {
    if (role === 'admin' || role === 'superuser' || role === 'system_admin') return row.admin
    if (role === 'viewer') return row.viewer ?? ''
    if (!isSystemRole(role)) return ''
    // Every system role except `login` includes a viewer's read permissions and the permissions that `login` grants.
    const own = row.area?.[0] === role ? row.area[1] : row.area?.[0] === 'login' ? row.area[1] : ''
    const account = resource === 'account' ? 'RU' : ''
    // operators of an area can report problems
    const report = resource === 'reports' ? 'C' : ''
    return role === 'login' ? own + account : own + account + report + (row.viewer ?? '')
  }
  if (role === 'domain_admin') {
    if (scope === 'project' && administeredInDomain.has(resource)) return row.projectAdmin ?? ''
    return scope === 'project' || inDomainScope.has(resource) ? (row.domainAdmin ?? '') : ''
  }
  if (scope !== 'project') return resource === 'account' ? 'RU' : ''
  if (role === 'project_admin') return row.projectAdmin ?? ''
  if (role === 'project_member') return row.projectMember ?? ''
  if (role === 'service_account') return row.service ?? ''
  if (role === 'image_upload') return resource === 'compute_images' ? 'CR' : resource === 'compute_image' ? 'RUD' : ''
  if (role === 'quota_manager') {
    if (resource === 'compute_quotas') return 'CR'
    return resource === 'domain_projects' || resource === 'domain_project' ? 'R' : ''
  }
  return ''
}

/** Returns the union of the grants of all roles in a kind of scope. */
export function grantsOf(roles: readonly Role[], scope: ScopeKind): Grants {
  const grants: Grants = {}
  for (const resource of resourceNames) {
    const letters = new Set(roles.flatMap((role) => [...lettersOf(role, resource, scope)]))
    if (letters.size > 0) grants[resource] = [...'CRUD'].filter((letter) => letters.has(letter)).join('')
  }
  return grants
}

/** Grants of a read-only token. Excludes the console, which also accepts input. */
export const onlyReading = (grants: Grants): Grants =>
  Object.fromEntries(
    Object.entries(grants).flatMap(([resource, letters]) =>
      letters.includes('R') && resource !== 'compute_server_console' ? [[resource, 'R']] : [],
    ),
  )
