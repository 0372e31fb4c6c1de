import { shownSystemPermissions } from '@mainstay/contract/identity/user-roles'
import { useT } from '../../../i18n/use-t'
import { FieldFault } from '../../../patterns/form/FieldFault'
import { useBound } from '../../../patterns/form/use-bound'
import { Checkbox } from '../../../ui/fields/Checkbox'
import css from './SystemPermissionsField.module.css'

const offered = shownSystemPermissions.filter((it) => it !== 'admin' && it !== 'viewer')

/**
 * The areas that a user may administer, such as `cluster` or `network`. Each also grants read access to all other
 * areas.
 */
export function SystemPermissionsField() {
  const t = useT('identity')
  const { value, onChange, error, isDisabled } = useBound<string[]>('system_permissions')
  return (
    <fieldset className={css.group}>
      <legend className={css.legend}>{t('users.systemPermissions')}</legend>
      {offered.map((permission) => (
        <Checkbox
          key={permission}
          isDisabled={isDisabled}
          isSelected={value.includes(permission)}
          onChange={(isOn) => onChange(isOn ? [...value, permission] : value.filter((it) => it !== permission))}
        >
          {t(`users.system.${permission}`)}
        </Checkbox>
      ))}
      <FieldFault>{error}</FieldFault>
    </fieldset>
  )
}
