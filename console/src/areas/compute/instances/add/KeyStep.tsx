import { lazy, Suspense, useState } from 'react'
import { sshKeys, type SshKey } from '@mainstay/contract/compute/ssh-keys'
import { useT } from '../../../../i18n/use-t'
import { useBound } from '../../../../patterns/form/use-bound'
import { SshKeyPicker } from '../../../../pickers/SshKeyPicker'
import { useMay } from '../../../../session/may'
import { Button } from '../../../../ui/Button'
import { AddIcon, CloseIcon } from '../../../../ui/icons'
import css from './step.module.css'

const AddKeyDialog = lazy(() => import('./AddKeyDialog'))

/** The SSH key for signing in: an existing one, or a new one added from here. */
export function KeyStep() {
  const t = useT('instance')
  const may = useMay()
  const { value: key, onChange } = useBound<SshKey | null>('key')
  const [isAdding, setAdding] = useState(false)
  const add = may(sshKeys.create.needs) && (
    <Button icon={AddIcon} onPress={() => setAdding(true)}>
      {t('instances.add.addKey')}
    </Button>
  )
  return (
    <div className={css.step}>
      <p className={css.note}>{t('instances.add.keyHelp')}</p>
      <SshKeyPicker chosen={key?.id ?? null} onChoose={onChange} />
      <div className={css.buttons}>
        {add}
        {key && (
          <Button variant="plain" icon={CloseIcon} onPress={() => onChange(null)}>
            {t('instances.add.noKey')}
          </Button>
        )}
      </div>
      {isAdding && (
        <Suspense fallback={null}>
          <AddKeyDialog
            onClose={(added) => {
              if (added) onChange(added)
              setAdding(false)
            }}
          />
        </Suspense>
      )}
    </div>
  )
}
