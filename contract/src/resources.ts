import { bulkRuns } from './core/bulk-runs'
import { exports } from './core/exports'
import { facets } from './core/facets'
import { crudNames } from './core/crud'
import type { Endpoint } from './core/endpoint'
import type { Kind } from './core/kind'
import { savedViews } from './core/saved-views'
import { search } from './core/search'
import { taskKind, tasks } from './core/tasks'
import { computeCluster } from './compute/compute-cluster'
import { flavorKind, flavors } from './compute/flavors'
import { imageImports } from './compute/image-imports'
import { imageUploads } from './compute/image-uploads'
import { imageKind, images } from './compute/images'
import { instanceKind, instances } from './compute/instances'
import { computeNodeKind, computeNodes } from './compute/nodes'
import { placementKind, placements } from './compute/placements'
import { domainQuotas, quotaKind, quotas } from './compute/quotas'
import { serverGroupKind, serverGroups } from './compute/server-groups'
import { sshKeyKind, sshKeys } from './compute/ssh-keys'
import { account } from './identity/account'
import { accessRoleCalls } from './identity/access-roles'
import { domainProperties } from './identity/domain-properties'
import { domainKind, domains } from './identity/domains'
import { explanations } from './identity/explanations'
import { groupKind, groups } from './identity/groups'
import { handOver } from './identity/hand-over'
import { identityProviderKind, identityProviders } from './identity/identity-providers'
import { loginLinks } from './identity/login-link'
import { passkeys, passkeySignIn } from './identity/passkeys'
import { passwordLinks } from './identity/password-links'
import { secondFactor } from './identity/second-factor'
import { serviceTokens } from './identity/service-tokens'
import { signInRules } from './identity/sign-in-rules'
import { signInSteps } from './identity/sign-in-steps'
import { projectKind, projects } from './identity/projects'
import { session } from './identity/session'
import { systemAccounts } from './identity/system-accounts'
import { userKind, users } from './identity/users'
import { clusters } from './infrastructure/clusters'
import { engines } from './infrastructure/engines'
import { nodes } from './infrastructure/nodes'
import { lbFlavorKind, lbFlavorProfileKind, lbFlavorProfiles, lbFlavors } from './load-balancing/flavors'
import { loadBalancerKind, loadBalancers } from './load-balancing/load-balancers'
import { loadBalancingService } from './load-balancing/load-balancing-service'
import { loadBalancerPools, poolKind } from './load-balancing/pools'
import { alertKind, alerts } from './monitoring/alerts'
import { alertRuleKind, alertRules } from './monitoring/alert-rules'
import { auditLog } from './monitoring/audit-log'
import { instanceFigures } from './monitoring/instance-figures'
import { metricQueries } from './monitoring/metric-queries'
import { floatingIpKind, floatingIps } from './networking/floating-ips'
import { networkService } from './networking/network-service'
import { networkKind, networks } from './networking/networks'
import { portKind, ports } from './networking/ports'
import { reach } from './networking/reach'
import { routerKind, routers } from './networking/routers'
import { securityGroupRuleKind, securityGroupRules } from './networking/security-group-rules'
import { securityGroupKind, securityGroups } from './networking/security-groups'
import { subnetKind, subnets } from './networking/subnets'
import { topology } from './networking/topology'
import { s3Cluster, s3Deployment, s3Replication } from './object-storage/s3-cluster'
import { s3Archives, s3Links, s3Metadata, s3Runs } from './object-storage/s3-files'
import { s3History } from './object-storage/s3-history'
import { s3Keys } from './object-storage/s3-keys'
import { s3Service } from './object-storage/s3-service'
import { s3Users } from './object-storage/s3-users'
import { ssl } from './settings/certificate'
import { featureCalls } from './settings/features'
import { ldap } from './settings/ldap'
import { notifications } from './settings/notifications'
import { reports } from './settings/reports'
import { recycleBinSettings } from './settings/recycle-bin'
import { sessionSettings } from './settings/sessions'
import { recycleBin, recycledItemKind } from './storage/recycle-bin'
import { storagePolicies, storagePolicyKind } from './storage/storage-policies'
import { volumeKind, volumes } from './storage/volumes'
import { connectionKind, ipsecSiteConnections } from './vpn/connections'
import { endpointGroupKind, endpointGroups } from './vpn/endpoint-groups'
import { ikePolicies, ikePolicyKind, ipsecPolicies, ipsecPolicyKind } from './vpn/policies'
import { vpnOverview } from './vpn/vpn-capabilities'
import { vpnServiceKind, vpnServices } from './vpn/vpn-services'

/**
 * Every resource of the product: its calls, its kind where rows of it are in the index, and the area whose engine has
 * them. The index, the OpenAPI document, the fuzzer, the isolation test and the engines' conformance are derived from this
 * list. One that has the usual calls only is plain: its commands stand in the port of its area under its name here.
 */
export const resources = {
  session: { calls: session },
  accessRoles: { calls: accessRoleCalls },
  handOver: { calls: handOver },
  account: { calls: account },
  domains: { area: 'identity', kind: domainKind, calls: domains },
  domainProperties: { calls: domainProperties },
  loginLinks: { calls: loginLinks },
  projects: { area: 'identity', kind: projectKind, calls: projects },
  users: { area: 'identity', kind: userKind, calls: users },
  systemAccounts: { calls: systemAccounts },
  passwordLinks: { calls: passwordLinks },
  signInSteps: { calls: signInSteps },
  signInRules: { calls: signInRules },
  secondFactor: { calls: secondFactor },
  passkeys: { calls: passkeys },
  serviceTokens: { calls: serviceTokens },
  passkeySignIn: { calls: passkeySignIn },
  groups: { area: 'identity', kind: groupKind, calls: groups },
  identityProviders: { area: 'identity', kind: identityProviderKind, calls: identityProviders },
  explanations: { calls: explanations },
  tasks: { kind: taskKind, calls: tasks },
  computeCluster: { calls: computeCluster },
  instances: { area: 'compute', kind: instanceKind, calls: instances },
  images: { area: 'compute', kind: imageKind, calls: images },
  imageUploads: { calls: imageUploads },
  imageImports: { calls: imageImports },
  flavors: { area: 'compute', kind: flavorKind, calls: flavors },
  sshKeys: { area: 'compute', kind: sshKeyKind, calls: sshKeys },
  serverGroups: { area: 'compute', kind: serverGroupKind, calls: serverGroups },
  placements: { area: 'compute', kind: placementKind, calls: placements },
  computeNodes: { area: 'compute', kind: computeNodeKind, calls: computeNodes },
  // of storage: an engine that has machines has their disks as well
  quotas: { area: 'storage', kind: quotaKind, calls: quotas },
  domainQuotas: { calls: domainQuotas },
  volumes: { area: 'storage', kind: volumeKind, calls: volumes },
  storagePolicies: { area: 'storage', kind: storagePolicyKind, calls: storagePolicies },
  recycleBin: { area: 'storage', kind: recycledItemKind, calls: recycleBin },
  networks: { area: 'networking', kind: networkKind, calls: networks },
  subnets: { area: 'networking', kind: subnetKind, calls: subnets },
  ports: { area: 'networking', kind: portKind, calls: ports },
  routers: { area: 'networking', kind: routerKind, calls: routers },
  floatingIps: { area: 'networking', kind: floatingIpKind, calls: floatingIps },
  securityGroups: { area: 'networking', kind: securityGroupKind, calls: securityGroups },
  securityGroupRules: { area: 'networking', kind: securityGroupRuleKind, calls: securityGroupRules },
  networkService: { calls: networkService },
  reach: { calls: reach },
  topology: { calls: topology },
  loadBalancers: { area: 'load-balancing', kind: loadBalancerKind, calls: loadBalancers },
  loadBalancerPools: { area: 'load-balancing', kind: poolKind, calls: loadBalancerPools },
  lbFlavors: { area: 'load-balancing', kind: lbFlavorKind, calls: lbFlavors },
  lbFlavorProfiles: { area: 'load-balancing', kind: lbFlavorProfileKind, calls: lbFlavorProfiles },
  loadBalancingService: { calls: loadBalancingService },
  ikePolicies: { area: 'vpn', kind: ikePolicyKind, calls: ikePolicies },
  ipsecPolicies: { area: 'vpn', kind: ipsecPolicyKind, calls: ipsecPolicies },
  endpointGroups: { area: 'vpn', kind: endpointGroupKind, calls: endpointGroups },
  vpnServices: { area: 'vpn', kind: vpnServiceKind, calls: vpnServices },
  ipsecSiteConnections: { area: 'vpn', kind: connectionKind, calls: ipsecSiteConnections },
  vpnOverview: { calls: vpnOverview },
  s3Service: { calls: s3Service },
  s3Cluster: { calls: s3Cluster },
  s3Deployment: { calls: s3Deployment },
  s3Replication: { calls: s3Replication },
  s3Keys: { calls: s3Keys },
  s3Archives: { calls: s3Archives },
  s3Links: { calls: s3Links },
  s3Runs: { calls: s3Runs },
  s3Metadata: { calls: s3Metadata },
  s3Users: { calls: s3Users },
  s3History: { calls: s3History },
  clusters: { calls: clusters },
  nodes: { calls: nodes },
  engines: { calls: engines },
  ldap: { calls: ldap },
  sessionSettings: { calls: sessionSettings },
  recycleBinSettings: { calls: recycleBinSettings },
  notifications: { calls: notifications },
  ssl: { calls: ssl },
  reports: { calls: reports },
  alerts: { kind: alertKind, calls: alerts },
  alertRules: { kind: alertRuleKind, calls: alertRules },
  auditLog: { calls: auditLog },
  metricQueries: { calls: metricQueries },
  instanceFigures: { calls: instanceFigures },
  search: { calls: search },
  bulkRuns: { calls: bulkRuns },
  exports: { calls: exports },
  facets: { calls: facets },
  savedViews: { calls: savedViews },
  features: { calls: featureCalls },
} as const
export type Resources = typeof resources
export type ResourceName = keyof Resources

/** A resource when nothing of its types is known. */
export interface Resource {
  area?: string
  kind?: Kind
  calls: Record<string, Endpoint>
}
export const resourceList: readonly (readonly [name: string, resource: Resource])[] = Object.entries(
  resources as unknown as Record<string, Resource>,
)

/** Whether it has the usual calls only. */
export const isPlain = ({ calls }: Resource): boolean => Object.keys(calls).every((name) => crudNames.has(name))

/** Every call of the API, by resource. */
export const allEndpoints = Object.fromEntries(resourceList.map(([name, { calls }]) => [name, calls])) as {
  [Name in ResourceName]: Resources[Name]['calls']
}

/** Every resource kind by its name in the index. */
export const allKinds: Record<string, Kind> = Object.fromEntries(
  resourceList.flatMap(([, { kind }]) => (kind ? [[kind.name, kind]] : [])),
)
