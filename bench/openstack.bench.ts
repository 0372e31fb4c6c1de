import process from 'node:process'
import { instances } from '@mainstay/contract/compute/instances'
import { cloudAccess } from '@mainstay/engines/openstack/testing/cloud-access'
import { hearStates } from '@mainstay/engines/openstack/testing/heard-states'
import { signInPlainly, waitUntil } from '@mainstay/engines/openstack/testing/plain-client'
import { signIn, type ApiClient } from '../server/src/testing/api-client'
import { cloudEnvironment } from '../server/src/testing/cloud-server'
import { startProgram } from '../server/src/testing/server-program'
import { socketMirror } from '../server/src/testing/socket-mirror'
import type { Row } from './protocol'
import { measureChanges } from './support/cloud-changes'
import { cloudLists, measureLists } from './support/cloud-lists'
import { withCrowdMember } from './support/crowd-member'
import { withFolders } from './support/data-folder'
import { quick } from './support/quick'
import { withWatchedList } from './support/watched-list'

const ROUNDS = quick ? 3 : 9
/** Number of servers that are stopped and started. */
const SWITCHED = quick ? 3 : 15
const READ_WITHIN_SECONDS = 600

const countOf = async (api: ApiClient) =>
  (await api.call(instances.list, { query: { limit: 1, with_count: true } })).count

/*
 * Runs on a real cloud with many servers (`dev/openstack/crowd 1000`), configured as for `npm run test:openstack`.
 * Compares our lists with the requests that an efficient client sends to Nova, Neutron and Glance for the same columns,
 * both over keep-alive connections. Also measures the delay between Nova's own update and our report of the change;
 * this part is skipped if Nova's notifications are not accessible.
 */
export async function run(): Promise<Row[]> {
  const environment = cloudEnvironment()
  const bus = environment['OPENSTACK_NOTIFICATIONS_URL']
  return withCrowdMember(cloudAccess(process.env), (who) =>
    withFolders(async (newFolder) => {
      const program = await startProgram({ folder: await newFolder(), environment })
      try {
        const { username, password, userDomain: domain, projectName: project } = who
        const ours = await signIn(program.url, { username, password, domain, project })
        const theirs = await signInPlainly(who)
        const many = (await theirs.list('compute', '/servers', 'servers')).length
        await waitUntil(`${many} servers in the index`, async () => (await countOf(ours)) === many, READ_WITHIN_SECONDS)

        const listed = await ours.call(instances.list, { query: { limit: 100 } })
        const rows = await measureLists(ours, theirs, cloudLists(listed.data[0]!), ROUNDS)
        if (bus === undefined) return rows

        const nova = await hearStates(bus)
        const mirror = socketMirror(ours.token, null)
        await mirror.connect(program.url)
        const inBrowser = { username, password, project }
        rows.push(
          ...(await withWatchedList(program.url, inBrowser, async (list) => {
            const servers = (await list.shown(listed.data)).slice(0, SWITCHED)
            return measureChanges({ servers, cloud: theirs, nova, mirror, list })
          })),
        )
        mirror.close()
        await nova.close()
        return rows
      } finally {
        await program.stop()
      }
    }),
  )
}
