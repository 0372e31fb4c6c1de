import type { VolumeBackup } from '@mainstay/contract/storage/volume-backups'
import type { JobHandler } from '../../../../ports/records'
import type { Engine } from '../../../engine'
import { fetchedChain } from '../fetched-chain'
import { POINT } from '../rows'
import type { FileSessions } from './sessions'

/** Fetches the files of a recovery point for a session, and starts its reader. */
export const openFilesJob = (engine: Engine, sessions: FileSessions): JobHandler => ({
  pool: 'bulk',
  async run(job) {
    // a session does not outlive its server
    const session = sessions.byId(job.args['session'] as string)
    if (session?.status !== 'opening') return null
    try {
      const point = await engine.records.transaction((tx) => tx.get<VolumeBackup>(POINT, session.pointId))
      await fetchedChain(
        engine,
        {
          task_id: job.task_id,
          signal: AbortSignal.any([job.signal, session.ending.signal]),
          // the start of the reader takes the other half of the time
          progress: (percent) => (session.progress = percent),
        },
        session.pointId,
        (fetched) => sessions.start(session, fetched, point?.size ?? 0),
      )
    } catch (error) {
      sessions.fail(session, error)
    }
    return null
  },
})
