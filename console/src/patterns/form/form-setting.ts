import { createContext, useContext } from 'react'

export interface FormSetting {
  /** Being sent: fields hold still. */
  isBusy: boolean
  /** Names of the fields that hide what is typed. */
  hidden?: Set<string>
}

export const FormSettingContext = createContext<FormSetting>({ isBusy: false })

export const useFormSetting = () => useContext(FormSettingContext)
