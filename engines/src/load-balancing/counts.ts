import type { PoolMember } from '@mainstay/contract/load-balancing/members'

/** Returns the member counts as shown on pools and load balancers. */
export const countsOf = (members: readonly PoolMember[]) => {
  const enabled = members.filter((member) => member.enabled)
  const lost = enabled.filter(({ health }) => health === 'UNHEALTHY' || health === 'ERROR')
  return {
    members_count: members.length,
    members_healthy: enabled.length - lost.length,
    members_unhealthy: lost.length,
  }
}
