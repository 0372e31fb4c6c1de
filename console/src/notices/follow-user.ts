import { useSession } from '../session/session'
import { forgetTasks } from './expected-tasks'
import { renewNotices } from './notices'
import { forgetUploads } from './uploads'

/** Whoever signs in next begins anew: uploads, tasks and notifications are those of the person who began them. */
export const followUser = (): (() => void) =>
  useSession.subscribe(({ user }, before) => {
    if (user?.id === before.user?.id) return
    forgetUploads()
    forgetTasks()
    renewNotices()
  })
