import type { CloudUnderTest } from './cloud'
import type { DirectoryUnderTest } from './directory-fixture'
import { describeGroups } from './directory-groups'
import { describePeople } from './directory-people'
import { describeTenancy } from './directory-tenancy'
import { describeFloatingIps } from './floating-ips'
import { describeImages } from './images'
import { describeLiveResize } from './instance-live-resize'
import { describeInstanceOperations } from './instance-operations'
import { describeInstanceParts } from './instance-parts'
import { describeInstancePower } from './instance-power'
import { describeRescues } from './instance-rescues'
import { describeShelving } from './instance-shelving'
import { describeInstanceWords } from './instance-words'
import { describeInstances } from './instances'
import { describeLoadBalancers } from './load-balancers'
import { describeNetworks } from './networks'
import { describeS3Accounts, describeS3Keys, describeS3Quotas, describeS3Switches } from './object-storage/accounts'
import type { ObjectStorageUnderTest } from './object-storage/fixture'
import { describeS3Objects } from './object-storage/objects'
import { describeS3Settings } from './object-storage/settings'
import { describeS3Policies, describeS3Uploads } from './object-storage/uploads-and-policies'
import { describePlacements } from './placements'
import { describePlainKinds } from './plain-kinds'
import { describePorts } from './ports'
import { describeQuotas } from './quotas'
import { describeRouters } from './routers'
import { describeSecurityGroups } from './security-groups'
import { describeServerGroups } from './server-groups'
import { describeSshKeys } from './ssh-keys'
import { describeVolumeCopies } from './volume-copies'
import { describeVolumes } from './volumes'
import { describeVpn } from './vpn'

type Suite<Cloud> = (start: () => Promise<Cloud>) => void

/** What every engine with machines must do. */
export const cloudSuites: readonly Suite<CloudUnderTest>[] = [
  describePlainKinds,
  describeSshKeys,
  describeImages,
  describeVolumes,
  describeVolumeCopies,
  describeInstances,
  describeInstancePower,
  describeInstanceParts,
  describeInstanceWords,
  describeShelving,
  describeLiveResize,
  describeRescues,
  describeInstanceOperations,
  describePlacements,
  describeServerGroups,
  describeQuotas,
  describeNetworks,
  describePorts,
  describeRouters,
  describeFloatingIps,
  describeSecurityGroups,
  describeLoadBalancers,
  describeVpn,
]

/** What every engine must do that administers who there is. */
export const directorySuites: readonly Suite<DirectoryUnderTest>[] = [describeTenancy, describePeople, describeGroups]

/** What every engine must do that has object storage. */
export const objectStorageSuites: readonly Suite<ObjectStorageUnderTest>[] = [
  describeS3Accounts,
  describeS3Keys,
  describeS3Quotas,
  describeS3Switches,
  describeS3Objects,
  describeS3Uploads,
  describeS3Policies,
  describeS3Settings,
]

/** What every engine of a cloud must do. A suite is added to one of its lists, and every engine is held to it. */
export const allSuites: readonly Suite<CloudUnderTest & DirectoryUnderTest>[] = [...directorySuites, ...cloudSuites]

/** What networks are made of, for engines that have switches to show them on. */
export const networkSuites = [
  ...[describeNetworks, describePorts, describeRouters],
  ...[describeFloatingIps, describeSecurityGroups],
] as const satisfies readonly Suite<CloudUnderTest>[]

/** What says nothing of machines: one kind of machines is enough to show it. */
const withoutMachines: ReadonlySet<Suite<CloudUnderTest>> = new Set([
  describePlainKinds,
  describeSshKeys,
  describeInstanceWords,
  describeInstanceOperations,
  describeServerGroups,
  describeQuotas,
  describeNetworks,
  describePorts,
  describeRouters,
  describeFloatingIps,
  describeSecurityGroups,
  describeLoadBalancers,
  describeVpn,
])
export const machineSuites = cloudSuites.filter((suite) => !withoutMachines.has(suite))

/** Holds an engine to what every engine must do. */
export function describeEngine<Cloud>(start: () => Promise<Cloud>, suites: readonly Suite<Cloud>[]): void {
  for (const suite of suites) suite(start)
}
