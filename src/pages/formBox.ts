export interface FormBox {
  name: string
  label: string
  isTicked?: boolean
}
