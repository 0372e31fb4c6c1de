import { afterAll } from 'vitest'
import { openCloudUnderTest } from '../../../server/src/testing/cloud-under-test'
import type { CloudUnderTest, StartCloud } from '../conformance/cloud'
import { describeFlavors } from '../conformance/flavors'
import { describeImages } from '../conformance/images'
import { describeInstanceOperations } from '../conformance/instance-operations'
import { describeLiveResize } from '../conformance/instance-live-resize'
import { describeInstanceParts } from '../conformance/instance-parts'
import { describeInstancePower } from '../conformance/instance-power'
import { describeRescues } from '../conformance/instance-rescues'
import { describeShelving } from '../conformance/instance-shelving'
import { describeInstanceWords } from '../conformance/instance-words'
import { describeInstances } from '../conformance/instances'
import { describePlacements } from '../conformance/placements'
import { describeServerGroups } from '../conformance/server-groups'
import { describeSshKeys } from '../conformance/ssh-keys'
import { describeVolumes } from '../conformance/volumes'

/*
 * The engine on a real cloud: `npm run test:openstack`. All suites share one server and what was made for them in the
 * cloud, since each would take its time to make.
 */
let opened: Promise<CloudUnderTest> | null = null
const start: StartCloud = async () => ({ ...(await (opened ??= openCloudUnderTest())), close: async () => undefined })
afterAll(async () => (await opened)?.close(), 600_000)

describeFlavors(start)
describeSshKeys(start)
describeImages(start)
describeVolumes(start)
describeInstances(start)
describeInstancePower(start)
describeInstanceParts(start)
describeInstanceWords(start)
describeShelving(start)
describeLiveResize(start)
describeRescues(start)
describeInstanceOperations(start)
describePlacements(start)
describeServerGroups(start)
