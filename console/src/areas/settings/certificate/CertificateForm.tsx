import { useId } from 'react'
import { get, useFormState } from 'react-hook-form'
import {
  certificateExtensions,
  CertificateUpload,
  isKeyStore,
  keyExtensions,
  ssl,
  type SslConfig,
} from '@mainstay/contract/settings/certificate'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { confirm } from '../../../patterns/dialogs/confirm'
import { FormBody } from '../../../patterns/form/FormBody'
import { PasswordField } from '../../../patterns/form/PasswordField'
import { useBound } from '../../../patterns/form/use-bound'
import { useForm } from '../../../patterns/form/use-form'
import { Button } from '../../../ui/Button'
import { FileDrop } from '../../../ui/fields/FileDrop'
import css from '../settings.module.css'

type Encoded = { name: string; data: string }

async function encode(file: File): Promise<Encoded> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  return { name: file.name, data: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')) }
}

/** A small file that is sent as base64 in JSON. */
function EncodedFileField({
  name,
  label,
  help,
  endings,
}: {
  name: string
  label: string
  help: string
  endings: readonly string[]
}) {
  const { value, onChange, error, isDisabled } = useBound<Encoded | undefined>(name)
  const { errors } = useFormState()
  // `accept` does not apply to dropped files, so validation errors for the name and the size are also shown
  const part = (of: keyof Encoded): string | undefined => get(errors, `${name}.${of}.message`)
  return (
    <FileDrop
      label={label}
      help={help}
      error={error ?? part('name') ?? part('data')}
      isDisabled={isDisabled}
      accept={endings.map((ending) => `.${ending}`)}
      // a stable file identity keeps the row mounted and the focus in it
      files={value ? [new File([value.data], value.name, { lastModified: 0 })] : []}
      onChange={([file]) => (file ? void encode(file).then(onChange) : onChange(undefined))}
    />
  )
}

interface CertificateFormProps {
  isUploaded: boolean
  onSaved: (config: SslConfig) => void
}

/** Uploads a certificate with its private key, or switches back to the self-signed one. */
export function CertificateForm({ isUploaded, onSaved }: CertificateFormProps) {
  const t = useT('settings')
  const id = useId()
  const save = useCall(ssl.upload, { refresh: [ssl.view] })
  const state = useForm({
    schema: CertificateUpload,
    start: { cert: undefined, key: undefined, password: '', gen_cert: false },
    send: ({ password, ...body }) => save.run({ body: { ...body, ...(password && { password }) } }),
    done: onSaved,
  })
  const file = state.form.watch('cert') as Encoded | undefined
  const makeOwn = () =>
    void confirm({
      title: t('certificate.makeOwnTitle'),
      text: t('certificate.makeOwnText'),
      verb: t('certificate.makeOwn'),
      run: async () => onSaved(await save.run({ body: { gen_cert: true } })),
    })
  return (
    <FormBody code="none" state={state} id={id}>
      <fieldset className={css.group}>
        <legend>{t('certificate.upload')}</legend>
        <EncodedFileField
          name="cert"
          label={t('certificate.file')}
          help={t('certificate.file.help', { endings: certificateExtensions.join(', ') })}
          endings={certificateExtensions}
        />
        {!(file && isKeyStore(file.name)) && (
          <EncodedFileField
            name="key"
            label={t('certificate.key')}
            help={t('certificate.key.help', { endings: keyExtensions.join(', ') })}
            endings={keyExtensions}
          />
        )}
        <PasswordField
          name="password"
          label={t('certificate.password')}
          help={t('certificate.password.help')}
          autoComplete="off"
        />
      </fieldset>
      <div className={css.foot}>
        <Button type="submit" variant="primary" isBusy={state.isBusy}>
          {t('certificate.replace')}
        </Button>
        {isUploaded && <Button onPress={makeOwn}>{t('certificate.makeOwn')}</Button>}
        <small>{t('certificate.replace.help')}</small>
      </div>
    </FormBody>
  )
}
