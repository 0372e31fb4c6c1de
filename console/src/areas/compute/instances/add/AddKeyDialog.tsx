import { useState } from 'react'
import { SshKeyDraft, SshKeyGenerate, sshKeys, type SshKey } from '@mainstay/contract/compute/ssh-keys'
import * as z from 'zod'
import { useCall } from '../../../../api/use-call'
import { useT } from '../../../../i18n/use-t'
import { FormDialog } from '../../../../patterns/form/FormDialog'
import { RadioCards, TextField } from '../../../../patterns/form/form-fields'
import { useWatched } from '../../../../patterns/form/use-watched'
import { PrivateKeyDialog } from '../../ssh-keys/PrivateKeyDialog'
import { PublicKeyField } from '../../ssh-keys/PublicKeyField'

const KeyForm = z.discriminatedUnion('way', [
  z.object({ way: z.literal('import'), ...SshKeyDraft.shape }),
  z.object({ way: z.literal('generate'), ...SshKeyGenerate.shape }),
])
const empty = { way: 'generate', name: '', description: '', public_key: '', type: 'ed25519' } as const

/** Adds an SSH key without leaving the wizard. `onClose` receives the key, so that the wizard can select it. */
export default function AddKeyDialog({ onClose }: { onClose: (added: SshKey | undefined) => void }) {
  const t = useT('compute')
  const create = useCall(sshKeys.create, { refresh: [sshKeys.list] })
  const generate = useCall(sshKeys.generate, { refresh: [sshKeys.list] })
  const [generated, setGenerated] = useState<SshKey & { private_key: string }>()

  async function send({ way, ...body }: z.output<typeof KeyForm>) {
    if (way === 'generate') setGenerated(await generate.run({ body }))
    else onClose(await create.run({ body: body as z.output<typeof SshKeyDraft> }))
  }
  if (generated) return <PrivateKeyDialog sshKey={generated} onClose={() => onClose(generated)} />
  return (
    <FormDialog
      title={t('sshKeys.add')}
      verb={t('sshKeys.add')}
      schema={KeyForm}
      start={empty}
      send={send}
      place="middle"
      onClose={(isDone) => !isDone && onClose(undefined)}
    >
      <Fields />
    </FormDialog>
  )
}

function Fields() {
  const t = useT('compute')
  const way = useWatched<'import' | 'generate'>('way')
  return (
    <>
      <RadioCards
        name="way"
        label={t('sshKeys.way')}
        isGrid
        items={[
          { id: 'generate', label: t('sshKeys.generate'), description: t('sshKeys.generateHelp') },
          { id: 'import', label: t('sshKeys.import'), description: t('sshKeys.importHelp') },
        ]}
      />
      <TextField name="name" label={t('sshKeys.name')} autoFocus />
      {way === 'import' && <PublicKeyField />}
    </>
  )
}
