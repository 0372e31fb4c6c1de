import type { StartCloud } from './cloud'
import { describeImages } from './images'
import { describeLiveResize } from './instance-live-resize'
import { describeInstanceOperations } from './instance-operations'
import { describeInstanceParts } from './instance-parts'
import { describeInstancePower } from './instance-power'
import { describeRescues } from './instance-rescues'
import { describeShelving } from './instance-shelving'
import { describeInstanceWords } from './instance-words'
import { describeInstances } from './instances'
import { describePlacements } from './placements'
import { describePlainKinds } from './plain-kinds'
import { describeQuotas } from './quotas'
import { describeServerGroups } from './server-groups'
import { describeSshKeys } from './ssh-keys'
import { describeVolumes } from './volumes'

type Suite = (start: StartCloud) => void

/** What every engine must do. A suite is added here, and every engine is held to it. */
export const allSuites: readonly Suite[] = [
  describePlainKinds,
  describeSshKeys,
  describeImages,
  describeVolumes,
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
]

/** What says nothing of machines: one kind of machines is enough to show it. */
const withoutMachines: ReadonlySet<Suite> = new Set([
  describePlainKinds,
  describeSshKeys,
  describeInstanceWords,
  describeInstanceOperations,
  describeServerGroups,
  describeQuotas,
])
export const machineSuites: readonly Suite[] = allSuites.filter((suite) => !withoutMachines.has(suite))

/** Holds an engine to what every engine must do. */
export function describeEngine(start: StartCloud, suites: readonly Suite[] = allSuites): void {
  for (const suite of suites) suite(start)
}
