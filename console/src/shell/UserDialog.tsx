import ChangePasswordDialog from '../patterns/ChangePasswordDialog'
import ReportProblemDialog from '../patterns/ReportProblemDialog'
import AboutDialog from './AboutDialog'

const dialogs = { password: ChangePasswordDialog, report: ReportProblemDialog, about: AboutDialog }
export type UserDialogId = keyof typeof dialogs

/** What the user's menu opens. */
export default function UserDialog({ id, onClose }: { id: UserDialogId; onClose: () => void }) {
  const Dialog = dialogs[id]
  return <Dialog onClose={onClose} />
}
