import { afterAll } from 'vitest'
import { openObjectStorage } from '../../../server/src/testing/s3/under-test'
import { describeEngine, objectStorageSuites } from '../conformance/engine'
import { gatewayEnvironment } from './testing/gateway'

/* Tests the engine with a real Ceph Object Gateway: `npm run test:ceph`. All suites share one server. */
let opened: ReturnType<typeof openObjectStorage> | null = null
const start = async () => ({
  ...(await (opened ??= openObjectStorage({ environment: gatewayEnvironment() }))),
  close: async () => undefined,
})
afterAll(async () => (await opened)?.close())

describeEngine(start, objectStorageSuites)
