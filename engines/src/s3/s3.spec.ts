import { afterAll } from 'vitest'
import { openObjectStorage } from '../../../server/src/testing/s3/under-test'
import { describeEngine, objectStorageSuites } from '../conformance/engine'

/** One server shared by all suites. */
let opened: ReturnType<typeof openObjectStorage> | null = null
const start = async () => ({ ...(await (opened ??= openObjectStorage())), close: async () => undefined })
afterAll(async () => (await opened)?.close())

describeEngine(start, objectStorageSuites)
