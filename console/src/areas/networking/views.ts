/*
 * All networking lists and details pages in one chunk, since users often move between them. The forms are in another
 * chunk.
 */
export { default as FloatingIpListPage } from './floating-ips/FloatingIpListPage'
export { default as FloatingIpPage } from './floating-ips/FloatingIpPage'
export { default as NetworkListPage } from './networks/NetworkListPage'
export { default as NetworkPage } from './networks/NetworkPage'
export { default as ReachPage } from './reach/ReachPage'
export { default as RouterListPage } from './routers/RouterListPage'
export { default as RouterPage } from './routers/RouterPage'
export { default as SecurityGroupPage } from './security-groups/SecurityGroupPage'
export { default as SecurityGroupRulesPage } from './security-groups/SecurityGroupRulesPage'
export { default as securityGroupScreens } from './security-groups/security-group-screens'
export { default as TopologyPage } from './topology/TopologyPage'
