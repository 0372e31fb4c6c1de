import ChangePasswordDialog from '../patterns/dialogs/ChangePasswordDialog'
import ReportProblemDialog from '../patterns/dialogs/ReportProblemDialog'
import AboutDialog from './AboutDialog'
import LanguageDialog from './LanguageDialog'

const dialogs = {
  password: ChangePasswordDialog,
  report: ReportProblemDialog,
  language: LanguageDialog,
  about: AboutDialog,
}
export type UserDialogId = keyof typeof dialogs

/** A dialog opened from the account menu. */
export default function UserDialog({ id, onClose }: { id: UserDialogId; onClose: () => void }) {
  const Dialog = dialogs[id]
  return <Dialog onClose={onClose} />
}
