plugins {
    application
}

repositories {
    mavenLocal()
    mavenCentral()
}

dependencies {
    implementation("dev.tilewright:tilewright:0.2.0")
}

java {
    toolchain {
        languageVersion = JavaLanguageVersion.of(25)
    }
}

application {
    mainClass = "application.Application"
    applicationDefaultJvmArgs = listOf("--enable-native-access=ALL-UNNAMED")
}
