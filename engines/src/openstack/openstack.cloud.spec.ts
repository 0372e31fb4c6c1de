import { afterAll } from 'vitest'
import { openCloudUnderTest, type RealCloud } from '../../../server/src/testing/cloud-under-test'
import { allSuites, describeEngine } from '../conformance/engine'

/*
 * The engine on a real cloud: `npm run test:openstack`. All suites share one server and what was made for them in the
 * cloud, since each would take its time to make.
 */
let opened: Promise<RealCloud> | null = null
const start = async () => ({ ...(await (opened ??= openCloudUnderTest())), close: async () => undefined })
afterAll(async () => (await opened)?.close(), 600_000)

describeEngine(start, allSuites)
