import type { CloudUnderTest } from './cloud'
import type { DirectoryUnderTest } from './directory-fixture'
import { describeGroups } from './directory-groups'
import { describePeople } from './directory-people'
import { describeTenancy } from './directory-tenancy'
import { describeComputeNodes } from './compute-nodes'
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
import { describeVolumeBackups } from './volume-backups'
import { describeVolumeCopies } from './volume-copies'
import { describeVolumeSnapshots } from './volume-snapshots'
import { describeVolumes } from './volumes'
import { describeVpn } from './vpn'

type Suite<Cloud> = (start: () => Promise<Cloud>) => void

/** Suites for engines that run virtual machines. */
export const cloudSuites: readonly Suite<CloudUnderTest>[] = [
  describePlainKinds,
  describeSshKeys,
  describeImages,
  describeVolumes,
  describeVolumeCopies,
  describeVolumeSnapshots,
  describeVolumeBackups,
  describeInstances,
  describeInstancePower,
  describeInstanceParts,
  describeInstanceWords,
  describeShelving,
  describeLiveResize,
  describeRescues,
  describeInstanceOperations,
  describePlacements,
  describeComputeNodes,
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

/** Suites for engines that manage domains, projects, users and groups. */
export const directorySuites: readonly Suite<DirectoryUnderTest>[] = [describeTenancy, describePeople, describeGroups]

/** Suites for engines with object storage. */
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

/** All suites for a cloud. Add a new suite to one of the lists above to run it on every engine. */
export const allSuites: readonly Suite<CloudUnderTest & DirectoryUnderTest>[] = [...directorySuites, ...cloudSuites]

/** Network suites, for engines with real switches. */
export const networkSuites = [
  ...[describeNetworks, describePorts, describeRouters],
  ...[describeFloatingIps, describeSecurityGroups],
] as const satisfies readonly Suite<CloudUnderTest>[]

/** Suites that do not depend on the type of virtual machine, so running them with one type is enough. */
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

/** Declares suites for an engine. */
export function describeEngine<Cloud>(start: () => Promise<Cloud>, suites: readonly Suite<Cloud>[]): void {
  for (const suite of suites) suite(start)
}
