import { afterAll } from 'vitest'
import { openCloudUnderTest, type RealCloud } from '../../../server/src/testing/cloud-under-test'
import { allSuites, describeEngine } from '../conformance/engine'

/*
 * The engine with a real cloud: `npm run test:openstack`. All suites share one server and its fixtures in the cloud,
 * which take long to create.
 */
let opened: Promise<RealCloud> | null = null
const start = async () => ({ ...(await (opened ??= openCloudUnderTest())), close: async () => undefined })
afterAll(async () => (await opened)?.close(), 600_000)

describeEngine(start, allSuites)
