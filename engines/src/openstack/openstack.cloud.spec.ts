import { afterAll } from 'vitest'
import { openCloudUnderTest, type RealCloud } from '../../../server/src/testing/cloud-under-test'
import { allSuites, describeEngine } from '../conformance/engine'

/*
 * Tests the engine against a real cloud: `npm run test:openstack`. All suites share one server and its fixtures in the
 * cloud, because the fixtures take a long time to create.
 */
let opened: Promise<RealCloud> | null = null
const start = async () => ({ ...(await (opened ??= openCloudUnderTest())), close: async () => undefined })
afterAll(async () => (await opened)?.close(), 600_000)

describeEngine(start, allSuites)
