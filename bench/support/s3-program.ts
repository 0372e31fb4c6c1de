import { S3_PROXY_PATH } from '@mainstay/contract/object-storage/s3-proxy'
import { s3Keys } from '@mainstay/contract/object-storage/s3-keys'
import { s3Service } from '@mainstay/contract/object-storage/s3-service'
import { startEmbeddedPostgres } from '../../server/src/store/embedded-postgres'
import { signIn, type ApiClient } from '../../server/src/testing/api-client'
import { testPool, urlOf } from '../../server/src/testing/postgres/postgres'
import { ADMIN_PASSWORD, startProgram } from '../../server/src/testing/server-program'
import { silentLogger } from '../../server/src/testing/silent-logger'
import { withFolders } from './data-folder'
import { openS3Calls, signedBy, withSession, type S3Calls } from './s3-calls'
import type { Visitor } from './with-console'

/** A built server with object storage, and clients for it. */
export interface S3Program {
  pid: number
  /** URL of the console. */
  url: string
  /** The signed-in user. */
  who: Visitor
  api: ApiClient
  /** Connections to the server's database. */
  pool: ReturnType<typeof testPool>
  /** Requests to the S3 endpoint. */
  direct: S3Calls
  /** Requests with a session through the proxy, as the console sends them. */
  console: S3Calls
  /** Opens a client for another address. It is closed along with the others. */
  open: typeof openS3Calls
}

/** Runs `work` with a dedicated server and database, and stops both afterwards. */
export async function withS3Program<Result>(
  work: (program: S3Program, newFolder: () => Promise<string>) => Promise<Result>,
): Promise<Result> {
  return withFolders(async (newFolder) => {
    const database = await startEmbeddedPostgres({ dataFolder: await newFolder(), log: silentLogger })
    const url = urlOf(database.connection)
    const program = await startProgram({ folder: await newFolder(), world: 'demo', environment: { DATABASE_URL: url } })
    const pool = testPool({ url }, 2)
    const opened: S3Calls[] = []
    const open: typeof openS3Calls = (...given) => {
      const calls = openS3Calls(...given)
      opened.push(calls)
      return calls
    }
    try {
      const who = { username: 'admin', password: ADMIN_PASSWORD, project: 'demo' }
      const api = await signIn(program.url, who)
      const { endpoint } = await api.call(s3Service.view)
      if (endpoint === null) throw new Error('object storage is not available')
      await api.call(s3Keys.account)
      const { acc_key: accessKey, sec_key: secretKey } = await api.call(s3Keys.create, { body: {} })
      const direct = open(endpoint, signedBy(endpoint, { accessKey, secretKey }))
      const console = open(`${program.url}${S3_PROXY_PATH}`, withSession(program.url, api.token))
      return await work({ pid: program.pid, url: program.url, who, api, pool, direct, console, open }, newFolder)
    } finally {
      for (const calls of opened) calls.close()
      await pool.end()
      await program.stop()
      await database.stop()
    }
  })
}
