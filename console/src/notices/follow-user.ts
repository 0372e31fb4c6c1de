import { useSession } from '../session/session'
import { forgetTasks } from './expected-tasks'
import { renewNotices } from './notices'
import { forgetUploads } from './uploads'

/**
 * Clears uploads and tasks and reloads notifications when another user signs in, because they belong to the previous
 * user.
 */
export const followUser = (): (() => void) =>
  useSession.subscribe(({ user }, before) => {
    if (user?.id === before.user?.id) return
    forgetUploads()
    forgetTasks()
    renewNotices()
  })
