import { useId } from 'react'
import type { ReplyOf } from '@mainstay/contract/core/endpoint'
import {
  managementBackup,
  TYPED_BACK,
  type ManagementBackup,
} from '@mainstay/contract/infrastructure/management-backup'
import * as z from 'zod'
import { saveAsFile } from '../../../api/transfers/download'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { FormBody } from '../../../patterns/form/FormBody'
import { TextField } from '../../../patterns/form/form-fields'
import { useForm } from '../../../patterns/form/use-form'
import { Button } from '../../../ui/Button'
import { Banner } from '../../../ui/feedback/Banner'
import { DownloadIcon, OkIcon, WarnIcon } from '../../../ui/icons'
import { Dialog } from '../../../ui/overlays/Dialog'
import { CopyButton } from '../../../ui/values/CopyButton'
import css from './NewKeyDialog.module.css'
import { shortKey } from './short-key'

const Form = z.object({ ending: z.string().trim().min(TYPED_BACK) })

interface NewKeyDialogProps {
  made: ReplyOf<typeof managementBackup.createKey>
  backup: ManagementBackup
  /** `isConfirmed`: whether the user confirmed the new key. Otherwise the old key remains in use. */
  onClose: (isConfirmed: boolean) => void
}

/** Shows a new secret key, which cannot be displayed again, and asks the user to confirm that it has been stored. */
export function NewKeyDialog({ made: { recipient, identity }, backup, onClose }: NewKeyDialogProps) {
  const t = useT('infrastructure')
  const patterns = useT('patterns')
  const id = useId()
  const confirm = useCall(managementBackup.confirmKey, { refresh: [managementBackup.view] })
  const state = useForm({
    schema: Form,
    start: { ending: '' },
    send: ({ ending }) => confirm.run({ body: { recipient, ending } }),
    done: () => onClose(true),
  })
  const close = () => {
    // the request that confirms the key may already be running
    if (!state.isBusy) onClose(false)
  }
  const typed = state.form.watch('ending') as string
  const { key } = backup
  const older = backup.backups.filter((one) => one.recipient === key?.recipient).length
  // put the key first, because the restore command reads only the first line
  const save = () => saveAsFile('mainstay-backup-key.txt', `${identity}\n# ${recipient}\n`)
  return (
    <Dialog
      isOpen
      isFirm
      size="normal"
      title={t('backup.newKey')}
      onClose={close}
      footer={
        <>
          <Button onPress={close} isDisabled={state.isBusy}>
            {key ? t('backup.newKey.keepOld') : patterns('cancel')}
          </Button>
          <Button
            variant="primary"
            type="submit"
            form={id}
            isBusy={state.isBusy}
            disabledBecause={typed.trim().length < TYPED_BACK ? t('backup.newKey.missing') : undefined}
          >
            {t('backup.newKey.confirm')}
          </Button>
        </>
      }
    >
      <FormBody code="none" state={state} id={id} isWide>
        <Banner tone="warn" title={t('backup.newKey.once')}>
          {t('backup.newKey.onceText')}
        </Banner>
        <div className={css.key}>
          <p className={css.secret} dir="ltr">
            {identity}
          </p>
          <div className={css.actions}>
            <CopyButton value={identity} size="normal">
              {t('backup.newKey.copy')}
            </CopyButton>
            <Button icon={DownloadIcon} onPress={save}>
              {t('backup.newKey.save')}
            </Button>
          </div>
        </div>
        <p>{t('backup.newKey.store')}</p>
        <TextField
          name="ending"
          label={t('backup.newKey.ending')}
          help={t('backup.newKey.ending.help')}
          isMono
          autoComplete="off"
          spellCheck="false"
        />
        <ul className={css.effects}>
          <li className={css.good}>
            <OkIcon />
            <span>{t('backup.newKey.effect')}</span>
          </li>
          {key && older > 0 && (
            <li>
              <WarnIcon />
              <span>
                {t('backup.newKey.older', { count: older })}
                <small>{t('backup.newKey.older.help', { key: shortKey(key.recipient) })}</small>
              </span>
            </li>
          )}
        </ul>
      </FormBody>
    </Dialog>
  )
}
