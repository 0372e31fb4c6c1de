# Tour with any version of boto3. ENDPOINT: URL of object storage; the environment also has the keys and the region.
import io
import json
import os
import urllib.request

import boto3
from boto3.s3.transfer import TransferConfig
from botocore.client import Config
from botocore.exceptions import ClientError

endpoint = os.environ["ENDPOINT"]
s3 = boto3.client("s3", endpoint_url=endpoint)
name = "tour-boto3"


def refused(call, **arguments):
    try:
        call(**arguments)
    except ClientError as error:
        return error.response["Error"]["Code"]
    return None


s3.create_bucket(Bucket=name)
large = os.urandom(18_000_000)
parts = TransferConfig(multipart_threshold=8 << 20, multipart_chunksize=5 << 20)
s3.upload_fileobj(io.BytesIO(large), name, "dir/large", Config=parts, ExtraArgs={"Metadata": {"colour": "blue"}})
back = io.BytesIO()
s3.download_fileobj(name, "dir/large", back, Config=parts)
assert back.getvalue() == large
head = s3.head_object(Bucket=name, Key="dir/large")
assert head["ContentLength"] == len(large) and head["Metadata"] == {"colour": "blue"} and head["ETag"].endswith('-4"')

for number in range(25):
    s3.put_object(Bucket=name, Key=f"many/{number:02}", Body=b"x" * number)
s3.put_object(Bucket=name, Key="odd/a b+c%2F\u00fc\U0001f600", Body="text")
pages = s3.get_paginator("list_objects_v2").paginate(Bucket=name, Prefix="many/", PaginationConfig={"PageSize": 7})
assert [item["Key"] for page in pages for item in page["Contents"]] == [f"many/{number:02}" for number in range(25)]
top = s3.list_objects_v2(Bucket=name, Delimiter="/")
assert [item["Prefix"] for item in top["CommonPrefixes"]] == ["dir/", "many/", "odd/"]
assert s3.list_objects(Bucket=name, Prefix="odd/")["Contents"][0]["Key"] == "odd/a b+c%2F\u00fc\U0001f600"
assert s3.get_object(Bucket=name, Key="dir/large", Range="bytes=5-9")["Body"].read() == large[5:10]

s3.copy({"Bucket": name, "Key": "dir/large"}, name, "copied", Config=parts)
assert s3.get_object(Bucket=name, Key="copied")["Body"].read() == large
assert refused(s3.get_object, Bucket=name, Key="none") == "NoSuchKey"
assert refused(s3.get_object, Bucket=name, Key="copied", IfMatch='"other"') == "PreconditionFailed"
assert refused(s3.create_bucket, Bucket="No_Name") == "InvalidBucketName"

policy = {
    "Version": "2012-10-17",
    "Statement": [
        {"Effect": "Allow", "Principal": "*", "Action": "s3:GetObject", "Resource": f"arn:aws:s3:::{name}/many/*"}
    ],
}
s3.put_bucket_policy(Bucket=name, Policy=json.dumps(policy))
assert json.loads(s3.get_bucket_policy(Bucket=name)["Policy"]) == policy
assert urllib.request.urlopen(f"{endpoint}/{name}/many/03").read() == b"xxx"
s3.delete_bucket_policy(Bucket=name)

signing = boto3.client("s3", endpoint_url=endpoint, config=Config(signature_version="s3v4"))
address = signing.generate_presigned_url("get_object", Params={"Bucket": name, "Key": "many/04"}, ExpiresIn=60)
assert urllib.request.urlopen(address).read() == b"xxxx"
address = signing.generate_presigned_url("put_object", Params={"Bucket": name, "Key": "signed"}, ExpiresIn=60)
urllib.request.urlopen(urllib.request.Request(address, data=b"signed", method="PUT"))
assert s3.get_object(Bucket=name, Key="signed")["Body"].read() == b"signed"

# by default, boto3 signs these URLs with version 2
old = s3.generate_presigned_url("get_object", Params={"Bucket": name, "Key": "many/05"}, ExpiresIn=60)
assert urllib.request.urlopen(old).read() == b"xxxxx"
form = s3.generate_presigned_post(name, "by form/${filename}", ExpiresIn=60)
lines = []
for field, value in form["fields"].items():
    lines += ["--end", f'Content-Disposition: form-data; name="{field}"', "", value]
lines += ["--end", 'Content-Disposition: form-data; name="file"; filename="a.txt"', "", "by a form", "--end--", ""]
body = urllib.request.Request(form["url"], data="\r\n".join(lines).encode(), method="POST")
body.add_header("Content-Type", "multipart/form-data; boundary=end")
assert urllib.request.urlopen(body).status == 204
assert s3.get_object(Bucket=name, Key="by form/a.txt")["Body"].read() == b"by a form"

s3.put_object(Bucket=name, Key="tagged", Body=b"x", Tagging="stage=test", ServerSideEncryption="AES256")
assert s3.get_object_tagging(Bucket=name, Key="tagged")["TagSet"] == [{"Key": "stage", "Value": "test"}]
assert s3.head_object(Bucket=name, Key="tagged")["ServerSideEncryption"] == "AES256"
cors = {"AllowedMethods": ["GET"], "AllowedOrigins": ["https://shop.example"]}
s3.put_bucket_cors(Bucket=name, CORSConfiguration={"CORSRules": [cors]})
assert s3.get_bucket_cors(Bucket=name)["CORSRules"] == [cors]

s3.put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": "Enabled"})
first = s3.put_object(Bucket=name, Key="kept", Body=b"first")["VersionId"]
s3.put_object(Bucket=name, Key="kept", Body=b"second")
s3.delete_object(Bucket=name, Key="kept")
assert s3.get_object(Bucket=name, Key="kept", VersionId=first)["Body"].read() == b"first"
rule = {"ID": "old", "Status": "Enabled", "Filter": {"Prefix": "logs/"}, "Expiration": {"Days": 30}}
s3.put_bucket_lifecycle_configuration(Bucket=name, LifecycleConfiguration={"Rules": [rule]})
assert s3.get_bucket_lifecycle_configuration(Bucket=name)["Rules"] == [rule]

for page in s3.get_paginator("list_object_versions").paginate(Bucket=name):
    there = page.get("Versions", []) + page.get("DeleteMarkers", [])
    objects = [{"Key": item["Key"], "VersionId": item["VersionId"]} for item in there]
    assert "Errors" not in s3.delete_objects(Bucket=name, Delete={"Objects": objects})
s3.delete_bucket(Bucket=name)
assert name not in [bucket["Name"] for bucket in s3.list_buckets()["Buckets"]]
print("done")
