import { useT } from '../../i18n/use-t'
import { useSession } from '../../session/session'
import { Dialog } from '../../ui/overlays/Dialog'
import type { About } from '../table/row-action'
import { OwnProject } from './OwnProject'
import PermissionPanel from './PermissionPanel'

/** Explains why a disabled action is not permitted. The user can then check another action, object or project. */
export default function WhyDialog({ about, onClose }: { about: About; onClose: () => void }) {
  const t = useT('permissions')
  const project = useSession((session) => session.project?.id ?? null)
  const { call, thing } = about
  return (
    <Dialog isOpen size="normal" title={t('why.title', { name: thing.name })} onClose={onClose}>
      <PermissionPanel start={{ call, thing, project }} projectField={(bound) => <OwnProject {...bound} />} />
    </Dialog>
  )
}
