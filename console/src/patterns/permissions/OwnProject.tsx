import { useT } from '../../i18n/use-t'
import { useSession } from '../../session/session'
import { ComboBox } from '../../ui/fields/ComboBox'
import type { ProjectField } from './PermissionPanel'

/** Field for selecting one of the user's own projects, or none. */
export function OwnProject({ value, onChange }: ProjectField) {
  const t = useT('permissions')
  const projects = useSession((session) => session.projects)
  return (
    <ComboBox
      label={t('project')}
      placeholder={t('project.none')}
      items={projects.map(({ id, name }) => ({ id, label: name }))}
      value={value}
      onChange={onChange}
    />
  )
}
